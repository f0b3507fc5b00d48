package dev.porcupine.ledger;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A main class of these tests in a process of its own, which can be killed as nothing inside it could. */
final class ChildJvm implements AutoCloseable {

    private final Process process;
    private final BufferedReader output;

    private ChildJvm(Process process) {
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    static ChildJvm start(Class<?> main, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(args));
        return new ChildJvm(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start());
    }

    /** Runs it to its end. */
    static String run(Class<?> main, String... args) throws IOException, InterruptedException {
        try (ChildJvm child = start(main, args)) {
            String all = String.join("\n", child.output.lines().toList());
            if (!child.process.waitFor(30, TimeUnit.SECONDS)) {
                throw new AssertionError("the child did not end");
            }
            return all;
        }
    }

    long pid() {
        return process.pid();
    }

    @Nullable String readLine() throws IOException {
        return output.readLine();
    }

    /** SIGKILL; whatever it had written to the pipe can still be read (Process itself would close it). */
    void kill() throws InterruptedException {
        process.toHandle().destroyForcibly();
        process.waitFor();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        process.onExit().join();
        output.close();
    }
}
