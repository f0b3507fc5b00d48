package dev.porcupine.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.ProjectId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The story of {@link Scenario} with a failure, or a crash, at each of its steps. */
class FailAtEveryStepTest {

    private static final Set<WriteStep> EVERY_WRITE = EnumSet.of(
            WriteStep.BEGIN,
            WriteStep.SAVEPOINT,
            WriteStep.WORK,
            WriteStep.ROW,
            WriteStep.RELEASE,
            WriteStep.STATE,
            WriteStep.COMMIT,
            WriteStep.COMMITTED,
            WriteStep.ANSWER);

    @TempDir
    private Path dir;

    @Test
    void a_failure_at_any_step_loses_and_doubles_nothing() {
        assertThat(tellWithFailures(StepScript.fail(), 1)).as("steps tried").isGreaterThan(60);
    }

    @Test
    void an_error_of_the_machine_at_any_step_loses_and_doubles_nothing() {
        tellWithFailures(
                connection -> {
                    throw new OutOfMemoryError("planted");
                },
                3);
    }

    private int tellWithFailures(StepScript.Action failure, int stride) {
        StepScript steps = new StepScript();
        int failAt = 0;
        boolean failed = true;
        try (Ledger ledger = Samples.open(dir.resolve("home"), steps)) {
            while (failed) {
                steps.watch();
                Scenario scenario =
                        new Scenario(ledger.projects().create("shop").project().id());
                steps.actAt(failAt, failure);
                scenario.tell(ledger);
                failed = steps.acted();
                steps.watch();
                scenario.assertEnd(ledger);
                ledger.queue().settle(Samples.queued(ledger));
                failAt += stride;
            }
        }
        return failAt;
    }

    @Test
    void a_crash_at_any_step_keeps_what_was_acknowledged() throws IOException {
        Path home = dir.resolve("home");
        List<Crash> crashes = new ArrayList<>();
        Set<WriteStep> crashedAt = EnumSet.noneOf(WriteStep.class);
        ProjectId project;
        try (Ledger ledger = Samples.open(home)) {
            project = ledger.projects().create("shop").project().id();
        }
        Scenario scenario = new Scenario(project);
        Images images = new Images(home, dir, scenario);
        WriteSteps crashing = (step, connection) -> {
            crashedAt.add(step);
            crashes.addAll(images.takeAt(step));
        };
        try (Ledger ledger = Samples.open(home, crashing)) {
            scenario.tell(ledger);
        }
        assertThat(crashedAt).containsAll(EVERY_WRITE);
        assertThat(crashes).hasSizeGreaterThan(30);

        for (Crash crash : crashes) {
            try (Ledger ledger = Samples.open(crash.image())) {
                crash.client().assertHolds(ledger);
                crash.client().tell(ledger);
                crash.client().assertEnd(ledger);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("crash at " + crash.step() + ", image " + crash.image(), e);
            }
        }
    }

    private record Crash(Path image, Scenario client, WriteStep step) {}

    /** Copies of the files as a killed process, or a power cut in the middle of a commit, would leave them. */
    private static final class Images {
        private final Path home;
        private final Path dir;
        private final Scenario client;
        private Scenario clientBefore;
        private int count;
        private byte[] walBefore = {};
        private int syncedBytes;

        Images(Path home, Path dir, Scenario client) {
            this.home = home;
            this.dir = dir;
            this.client = client;
            this.clientBefore = new Scenario(client);
        }

        List<Crash> takeAt(WriteStep step) {
            try {
                Path walPath = new LedgerFile(home).wal();
                byte[] wal = Files.exists(walPath) ? Files.readAllBytes(walPath) : new byte[0];
                if (count > 0 && Arrays.equals(wal, walBefore) && client.knowsAsMuchAs(clientBefore)) {
                    return List.of();
                }
                walBefore = wal;
                clientBefore = new Scenario(client);
                List<Crash> crashes = new ArrayList<>();
                if (step == WriteStep.COMMITTED) {
                    // not acknowledged yet, and until the fsync the disk might have held any part of it
                    crashes.add(take(step, wal, syncedBytes));
                    crashes.add(take(step, wal, (syncedBytes + wal.length) / 2));
                    crashes.add(take(step, wal, wal.length - 1));
                    syncedBytes = wal.length;
                }
                crashes.add(take(step, wal, wal.length));
                return crashes;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private Crash take(WriteStep step, byte[] wal, int walBytes) throws IOException {
            Path image = Files.createDirectory(dir.resolve("crash-" + count++));
            LedgerFile to = new LedgerFile(image);
            Files.copy(new LedgerFile(home).path(), to.path());
            Files.write(to.wal(), Arrays.copyOf(wal, walBytes));
            return new Crash(image, new Scenario(client), step);
        }
    }
}
