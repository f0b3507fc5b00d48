package dev.porcupine.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps every other process, and every other ledger of this one, out of a data directory. Two writers would each hold counters that
 * the other changes.
 */
final class DataDirectoryLock implements AutoCloseable {

    static final String FILE_NAME = "porcupine.lock";

    /**
     * Directories this process holds. POSIX drops a process's locks on a file when the process closes <em>any</em> descriptor of that
     * file, so a second attempt from this process must be turned away before it opens the file: by closing it again it would take the
     * lock from the first.
     */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path directory;
    private final FileChannel channel;

    private DataDirectoryLock(Path directory, FileChannel channel) {
        this.directory = directory;
        this.channel = channel;
    }

    /** @throws LedgerStartException when someone else holds it */
    static DataDirectoryLock take(Path dataDir) {
        Path directory;
        try {
            directory = dataDir.toRealPath();
        } catch (IOException e) {
            throw LedgerStartException.unusable(dataDir, e);
        }
        if (!HELD.add(directory)) {
            throw inUse(directory, "this process");
        }
        FileChannel channel = null;
        try {
            channel = FileChannel.open(
                    directory.resolve(FILE_NAME),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE);
            // kept alive by the channel
            FileLock lock = channel.tryLock();
            if (lock == null) {
                throw inUse(directory, holder(directory));
            }
            writeHolder(channel);
            return new DataDirectoryLock(directory, channel);
        } catch (IOException e) {
            giveBack(directory, channel);
            throw LedgerStartException.unusable(directory, e);
        } catch (RuntimeException e) {
            giveBack(directory, channel);
            throw e;
        }
    }

    @Override
    public void close() {
        giveBack(directory, channel);
    }

    private static void giveBack(Path directory, @Nullable FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            // the descriptor is gone all the same, and with it the lock
        } finally {
            HELD.remove(directory);
        }
    }

    private static void writeHolder(FileChannel channel) throws IOException {
        channel.truncate(0);
        String holder = "process " + ProcessHandle.current().pid();
        channel.write(ByteBuffer.wrap(holder.getBytes(StandardCharsets.US_ASCII)), 0);
    }

    private static String holder(Path directory) {
        try {
            String text = Files.readString(directory.resolve(FILE_NAME), StandardCharsets.US_ASCII);
            return text.isBlank() ? "another process" : text;
        } catch (IOException e) {
            return "another process";
        }
    }

    private static LedgerStartException inUse(Path directory, String holder) {
        return new LedgerStartException(
                "The data directory " + directory + " is in use by " + holder
                        + "; only one process may use it at a time.",
                "Stop the other process, or give this one a data directory of its own (porcupine.data-dir).",
                null);
    }
}
