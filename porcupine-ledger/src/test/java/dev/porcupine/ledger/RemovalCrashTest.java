package dev.porcupine.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.ProjectId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A removal with a failure, or a crash, at each step of its transactions: it goes on to the same end. */
@Timeout(240)
class RemovalCrashTest {

    private static final int ROWS = 3;

    @TempDir
    private Path dir;

    @Test
    void a_failure_at_any_step_delays_the_removal_and_changes_nothing_else() {
        Path home = dir.resolve("home");
        StepScript steps = new StepScript();
        int tried = 0;
        try (Ledger ledger = Samples.open(home, steps)) {
            ProjectId other = RemovalStory.project(ledger, ROWS);
            List<String> others = RemovalStory.rowsOf(home, other);
            boolean failed = true;
            while (failed) {
                steps.watch();
                ProjectId project = RemovalStory.project(ledger, ROWS);
                steps.actAt(tried, StepScript.fail());
                RemovalStory.removeToTheEnd(ledger, project);
                failed = steps.acted();
                steps.watch();
                RemovalStory.assertNoRowOf(home, project);
                assertThat(RawRows.counted(ledger)).isEqualTo(ledger.status());
                assertThat(ledger.removals().find(project).orElseThrow().removed())
                        .isEqualTo(new Removal.Removed(ROWS, ROWS, 0, ROWS, ROWS));
                tried += 2;
            }
            assertThat(RemovalStory.rowsOf(home, other)).isEqualTo(others);
        }
        assertThat(tried).as("steps tried").isGreaterThan(80);
    }

    @Test
    void a_crash_at_any_step_is_followed_by_the_rest_of_the_removal() throws IOException {
        Path home = dir.resolve("home");
        ProjectId project;
        ProjectId other;
        List<String> others;
        try (Ledger ledger = Samples.open(home)) {
            other = RemovalStory.project(ledger, ROWS);
            project = RemovalStory.project(ledger, ROWS);
            others = RemovalStory.rowsOf(home, other);
        }
        List<Path> images = new ArrayList<>();
        WriteSteps crashing = new WriteSteps() {
            private byte[] walBefore = {};

            @Override
            public void at(WriteStep step, Connection connection) {
                byte[] wal = wal(home);
                if (Arrays.equals(wal, walBefore)) {
                    return;
                }
                images.add(image(home, images.size(), wal));
                // A power cut in the middle of writing the commit.
                images.add(image(home, images.size(), Arrays.copyOf(wal, (walBefore.length + wal.length) / 2)));
                walBefore = wal;
            }
        };
        try (Ledger ledger = Samples.open(home, crashing)) {
            ledger.removals().begin(project);
            RemovalStory.removeToTheEnd(ledger, project);
        }
        assertThat(images).hasSizeGreaterThan(15);
        for (Path image : images) {
            try (Ledger ledger = Samples.open(image)) {
                assertThat(ledger.status().complete()).as("%s: complete", image).isTrue();
                boolean fenced = ledger.projects().find(project).isEmpty();
                assertThat(ledger.removals().find(project).isPresent())
                        .as("%s: fenced as a whole, or not", image)
                        .isEqualTo(fenced);
                RemovalStory.removeToTheEnd(ledger, project);
                assertThat(RawRows.counted(ledger)).isEqualTo(ledger.status());
            }
            RemovalStory.assertNoRowOf(image, project);
            assertThat(RemovalStory.rowsOf(image, other)).as("%s", image).isEqualTo(others);
        }
    }

    private Path image(Path home, int number, byte[] wal) {
        try {
            Path image = Files.createDirectory(dir.resolve("crash-" + number));
            LedgerFile to = new LedgerFile(image);
            Files.copy(new LedgerFile(home).path(), to.path());
            Files.write(to.wal(), wal);
            return image;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] wal(Path home) {
        try {
            Path wal = new LedgerFile(home).wal();
            return Files.exists(wal) ? Files.readAllBytes(wal) : new byte[0];
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
