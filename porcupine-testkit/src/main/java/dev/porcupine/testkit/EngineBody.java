package dev.porcupine.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The engine in a child JVM. Folder: {@code data/}, {@code cold/}, {@code backups/}, {@code config.xml}, {@code users.xml},
 * {@code engine.log}.
 */
final class EngineBody implements ServerBody {

    private static final Duration STOP_WITHIN = Duration.ofSeconds(30);
    private static final Duration DIE_WITHIN = Duration.ofSeconds(10);
    private static final int LOG_TAIL_CHARS = 4_000;

    private final Path library;
    private final Path folder;
    private final boolean temporary;
    private final int port;
    private final FileChannel lock;
    private @Nullable Process process;
    private boolean suspended;

    EngineBody(Path library, ClickHouseOptions options) {
        this.library = library;
        try {
            temporary = options.folder() == null;
            folder = temporary
                    ? Files.createTempDirectory("porcupine-clickhouse-")
                    : Files.createDirectories(options.folder()).toRealPath();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        lock = lock(folder);
        port = options.port() == 0 ? FreePort.pick() : options.port();
    }

    /** Starting deletes and rewrites files of the folder, so it must belong to no other server. */
    private static FileChannel lock(Path folder) {
        try {
            FileChannel channel =
                    FileChannel.open(folder.resolve("owner.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (channel.tryLock() == null) {
                channel.close();
                throw new IllegalStateException(
                        folder + " belongs to a ClickHouse that is running; name another folder, or stop that one");
            }
            return channel;
        } catch (OverlappingFileLockException e) {
            throw new IllegalStateException(folder + " belongs to a ClickHouse of this very process", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void start(ClickHouseOptions options, String startId) {
        try {
            // A query_log of an earlier start is found detached and then silently written no more.
            FolderTree.delete(folder.resolve("data/data/system"));
            Files.createDirectories(folder.resolve("data"));
            Files.createDirectories(folder.resolve("backups"));
            Files.writeString(folder.resolve("users.xml"), ServerConfig.users(options, true));
            Files.writeString(folder.resolve("config.xml"), config(options, startId));
            process = new ProcessBuilder(command())
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.appendTo(log().toFile()))
                    .start();
            suspended = false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> command() {
        return List.of(
                "sh",
                "-c",
                // Ctrl-C and a closed terminal reach the whole process group, but ending in good order is the parent's
                // to command. The JVM leaves a signal alone that was ignored when it started.
                "trap '' INT HUP; exec \"$@\"",
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                ownClasses().toString(),
                EngineMain.class.getName(),
                library.toString(),
                folder.resolve("config.xml").toString());
    }

    private static Path ownClasses() {
        try {
            return Path.of(EngineMain.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (java.net.URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private String config(ClickHouseOptions options, String startId) {
        return """
                <clickhouse>
                  <path>%s/</path>
                  <listen_host>127.0.0.1</listen_host>
                  <http_port>%d</http_port>
                  <users_config>%s</users_config>
                  <user_directories><users_xml><path>%s</path></users_xml></user_directories>
                %s</clickhouse>
                """.formatted(
                        ServerConfig.text(folder.resolve("data").toString()),
                        port,
                        ServerConfig.text(folder.resolve("users.xml").toString()),
                        ServerConfig.text(folder.resolve("users.xml").toString()),
                        ServerConfig.common(options, startId, folder + "/cold/", folder + "/backups/"));
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public boolean alive() {
        return process != null && process.isAlive();
    }

    @Override
    public void stop() {
        Process running = process;
        if (running == null) {
            return;
        }
        resume();
        try {
            running.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!awaitEnd(running, STOP_WITHIN)) {
            kill();
            throw new IllegalStateException(
                    "ClickHouse did not stop within " + STOP_WITHIN + " and was killed; its log ends: " + logTail());
        }
        process = null;
    }

    @Override
    public void kill() {
        Process running = process;
        if (running == null) {
            return;
        }
        running.destroyForcibly();
        if (!awaitEnd(running, DIE_WITHIN)) {
            throw new IllegalStateException(
                    "process " + running.pid() + " lived on for " + DIE_WITHIN + " after kill -9");
        }
        process = null;
        suspended = false;
    }

    private static boolean awaitEnd(Process process, Duration bound) {
        try {
            return process.waitFor(bound.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while ClickHouse was ending", e);
        }
    }

    @Override
    public void suspend() {
        signal("STOP");
        suspended = true;
    }

    @Override
    public void resume() {
        if (suspended) {
            signal("CONT");
            suspended = false;
        }
    }

    private void signal(String name) {
        Process running = process;
        if (running == null || !running.isAlive()) {
            throw new IllegalStateException("ClickHouse is not running, so SIG" + name + " can't reach it");
        }
        try {
            // The shell's own kill: not every image has one as a program.
            Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + running.pid())
                    .inheritIO()
                    .start();
            if (!awaitEnd(kill, DIE_WITHIN) || kill.exitValue() != 0) {
                throw new IllegalStateException("kill -" + name + " " + running.pid() + " failed");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path log() {
        return folder.resolve("engine.log");
    }

    @Override
    public String logTail() {
        try {
            String whole =
                    Files.exists(log()) ? new String(Files.readAllBytes(log()), StandardCharsets.UTF_8) : "(no log)";
            return whole.substring(Math.max(0, whole.length() - LOG_TAIL_CHARS));
        } catch (IOException e) {
            return "(log unreadable: " + e.getMessage() + ")";
        }
    }

    @Override
    public void discard() {
        try {
            lock.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (temporary) {
            FolderTree.delete(folder);
        }
    }
}
