package dev.porcupine.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/**
 * The packaged jar in a process of its own, with the heap that the README promises: what users run, and what can be killed. Its port
 * and data directory survive a restart.
 */
final class PackagedService implements AutoCloseable {

    private static final Duration UP_WITHIN = Duration.ofMinutes(3);
    private static final Duration DOWN_WITHIN = Duration.ofSeconds(60);
    private static final Pattern TOKEN = Pattern.compile("write token, not shown again: (phc_\\S+)");

    private final Path dataDir;
    private final Path log;
    private final List<String> settings;
    private final int port;
    private Process process;

    private PackagedService(Path dataDir, List<String> settings) {
        this.dataDir = dataDir;
        this.log = dataDir.resolveSibling(dataDir.getFileName() + ".log");
        this.settings = settings;
        this.port = freePort();
        this.process = launch();
    }

    /** Returns when it is ready. Settings are arguments such as {@code --porcupine.queue.max-events=5}. */
    static PackagedService start(Path dataDir, String... settings) {
        PackagedService service = new PackagedService(dataDir, List.of(settings));
        service.awaitReady();
        return service;
    }

    /** Runs one that is expected to end by itself, and gives what it printed. */
    static Ended runToEnd(Path dataDir, String... settings) {
        PackagedService service = new PackagedService(dataDir, List.of(settings));
        try (service) {
            if (!service.process.waitFor(UP_WITHIN.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("still running after " + UP_WITHIN + ":\n" + service.output());
            }
            return new Ended(service.process.exitValue(), service.output());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    ServiceClient client() {
        return new ServiceClient("http://127.0.0.1:" + port, adminToken());
    }

    int port() {
        return port;
    }

    /** The write token of the project that the first start made. */
    String token() {
        Matcher token = TOKEN.matcher(output());
        if (!token.find()) {
            throw new AssertionError("the first start logged no write token:\n" + output());
        }
        return token.group(1);
    }

    String adminToken() {
        try {
            return Files.readString(dataDir.resolve(AdminToken.FILE_NAME)).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All that it printed, over all its starts. */
    String output() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As kill -9 does. */
    void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** As an init system does: SIGTERM, then waiting. */
    int stop() {
        process.destroy();
        awaitEnd();
        return process.exitValue();
    }

    /** Starts it again on the same port and data. Returns when it is ready. */
    void restart() {
        process = launch();
        awaitReady();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        awaitEnd();
    }

    private Process launch() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx512m", "-XX:+ExitOnOutOfMemoryError", "-jar", System.getProperty("porcupine.jar")));
        command.addAll(
                List.of("--server.port=" + port, "--server.address=127.0.0.1", "--porcupine.data-dir=" + dataDir));
        command.addAll(settings);
        try {
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitReady() {
        ServiceClient probe = new ServiceClient("http://127.0.0.1:" + port, "");
        Awaitility.await("service ready")
                .atMost(UP_WITHIN)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> {
                    if (!process.isAlive()) {
                        throw new AssertionError("the service ended with " + process.exitValue() + ":\n" + output());
                    }
                    return probe.ready();
                });
    }

    private void awaitEnd() {
        try {
            if (!process.waitFor(DOWN_WITHIN.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("still running " + DOWN_WITHIN + " after it was told to end:\n" + output());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Below the range of outgoing connections, else a client's socket may hold the port when the service restarts. */
    private static int freePort() {
        for (int attempt = 0; attempt < 100; attempt++) {
            int candidate = ThreadLocalRandom.current().nextInt(20_000, 32_000);
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), candidate));
                return candidate;
            } catch (IOException taken) {
                // The next one, then.
            }
        }
        throw new IllegalStateException("no free port");
    }

    record Ended(int exitCode, String output) {}
}
