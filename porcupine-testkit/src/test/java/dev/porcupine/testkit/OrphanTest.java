package dev.porcupine.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OrphanTest {

    @Test
    void a_server_ends_when_the_process_that_started_it_is_killed(@TempDir Path leftOver) throws Exception {
        Process parent = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + leftOver,
                        "-cp",
                        System.getProperty("java.class.path"),
                        ParentProcess.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<ProcessHandle> children;
        try (BufferedReader out = parent.inputReader()) {
            assertThat(Integer.parseInt(out.readLine())).isPositive();
            children = parent.descendants().toList();
            assertThat(children).hasSize(1);
        } finally {
            parent.destroyForcibly();
        }
        assertThat(parent.waitFor(10, TimeUnit.SECONDS)).isTrue();

        await().atMost(Duration.ofSeconds(20)).until(() -> !children.getFirst().isAlive());
    }
}
