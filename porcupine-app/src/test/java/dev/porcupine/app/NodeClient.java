package dev.porcupine.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/** Runs a script of src/test/clients, each around one real JavaScript SDK. */
final class NodeClient {

    private static final Duration DONE_WITHIN = Duration.ofMinutes(4);

    private NodeClient() {}

    /** What the script printed last. */
    static JsonNode run(String script, String host, String token, int count, String seed) {
        Path folder = Path.of(System.getProperty("porcupine.clients"));
        if (!Files.isDirectory(folder.resolve("node_modules"))) {
            throw new AssertionError("the SDKs are not installed in " + folder + ": run bin/test, or npm ci there");
        }
        try {
            Path errors = Files.createTempFile("porcupine-client", ".log");
            Process process = new ProcessBuilder(List.of("node", script, host, token, Integer.toString(count), seed))
                    .directory(folder.toFile())
                    .redirectError(errors.toFile())
                    .start();
            process.getOutputStream().close();
            if (!process.waitFor(DONE_WITHIN.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(script + " still ran after " + DONE_WITHIN + ": " + Files.readString(errors));
            }
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            String said = Files.readString(errors);
            Files.delete(errors);
            if (process.exitValue() != 0) {
                throw new AssertionError(script + " ended with " + process.exitValue() + ": " + output + said);
            }
            return ServiceClient.JSON.readTree(output.substring(output.lastIndexOf('\n') + 1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
