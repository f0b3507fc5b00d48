package dev.porcupine.delivery;

import dev.porcupine.ledger.Ledger;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * A project's quarantine as JSON lines: all that stood there when it was asked for, in memory never more than one event.
 *
 * <p>A snapshot of the ledger keeps its write-ahead log from being cut, so it must not last as long as a slow client likes. The lines are
 * therefore written to a file first, at the disk's pace, and sent from there. The file has no name any more from the start: nothing is left of
 * it when the process is killed. One export at a time, so that they can't fill the disk together.
 */
final class QuarantineExport {

    private static final Logger log = LoggerFactory.getLogger(QuarantineExport.class);

    private static final JsonMapper JSON = JsonMapper.shared();

    private final Ledger ledger;
    private final Semaphore turn = new Semaphore(1);

    QuarantineExport(Ledger ledger) {
        this.ledger = ledger;
    }

    /** @throws ProblemException when another export is under way, the ledger can't be read or the file not be written */
    Lines of(ProjectId project) {
        if (!turn.tryAcquire()) {
            throw new ProblemException(Problem.OVERLOADED, "another export of a quarantine is under way");
        }
        FileChannel file = null;
        boolean handedOver = false;
        try {
            file = nameless();
            write(project, file);
            long bytes = file.position();
            file.position(0);
            handedOver = true;
            return new Lines(file, bytes);
        } catch (IOException | UncheckedIOException e) {
            log.warn("Exporting the quarantine of project {} failed", project, e);
            throw new ProblemException(
                    Problem.LEDGER_UNAVAILABLE, "the export can't be written to the data directory; is its disk full?");
        } finally {
            if (!handedOver) {
                close(file);
                turn.release();
            }
        }
    }

    private void write(ProjectId project, FileChannel file) throws IOException {
        OutputStream lines = new BufferedOutputStream(Channels.newOutputStream(file), 1 << 16);
        ledger.quarantine().snapshot(project, entry -> {
            try {
                lines.write(JSON.writeValueAsBytes(QuarantineEntry.onOneLine(entry)));
                lines.write('\n');
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (JacksonException e) {
                throw new IllegalStateException("quarantined event " + entry.seq() + " can't be written as JSON", e);
            }
        });
        lines.flush();
    }

    private FileChannel nameless() throws IOException {
        Path path = Files.createTempFile(ledger.directory(), "quarantine-export-", ".ndjson");
        FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        Files.delete(path);
        return file;
    }

    private static void close(@Nullable FileChannel file) {
        if (file != null) {
            try {
                file.close();
            } catch (IOException e) {
                log.debug("Closing an export's file failed", e);
            }
        }
    }

    /** What was exported, on its way to the client. The next export waits until it is closed. */
    final class Lines implements AutoCloseable {

        private final FileChannel file;
        private final long bytes;

        private Lines(FileChannel file, long bytes) {
            this.file = file;
            this.bytes = bytes;
        }

        long bytes() {
            return bytes;
        }

        void sendTo(OutputStream client) throws IOException {
            Channels.newInputStream(file).transferTo(client);
        }

        @Override
        public void close() {
            QuarantineExport.close(file);
            turn.release();
        }
    }
}
