package dev.porcupine.ledger;

import static dev.porcupine.ledger.Samples.events;
import static dev.porcupine.ledger.Samples.queued;
import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.ProjectId;
import dev.porcupine.schema.Ticker;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the writer tells, and that it lives on, when even handling a failure fails. */
class WriterSurvivesErrorsTest {

    @TempDir
    private Path dir;

    private final StepScript steps = new StepScript();

    @SuppressWarnings("NullAway.Init")
    private Ledger ledger;

    @AfterEach
    void close() {
        ledger.close();
    }

    /** Heap exhaustion: the first allocation fails, and the next one (a log line, a message) fails as well. */
    private static final class HeapGone extends OutOfMemoryError {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new OutOfMemoryError("and again, while the failure is being logged");
        }
    }

    @Test
    void nothing_uncommitted_is_ever_answered_as_accepted() {
        open(64L << 20);
        ProjectId project = ledger.projects().create("shop").project().id();
        steps.actAt(WriteStep.COMMIT, connection -> {
            throw new HeapGone();
        });

        AcceptResult told = Samples.accept(ledger, events(project, 0, 3));

        ledger.close();
        ledger = Samples.open(dir);
        // I3: what the client was told equals what the store holds
        assertThat(told instanceof AcceptResult.Committed ? 3 : 0)
                .as(
                        "client was told %s, the queue holds %d events",
                        told, queued(ledger).size())
                .isEqualTo(queued(ledger).size());
    }

    @Test
    void an_error_while_the_log_is_truncated_does_not_end_the_writer() {
        open(1);
        ProjectId project = ledger.projects().create("shop").project().id();
        steps.actAt(WriteStep.CHECKPOINT, connection -> {
            throw new OutOfMemoryError("planted");
        });
        Samples.accept(ledger, events(project, 0, 1));

        AcceptResult next = Samples.accept(ledger, events(project, 1, 2));

        assertThat(next)
                .as("after one OutOfMemoryError between transactions; writable() says %s", ledger.writable())
                .isInstanceOf(AcceptResult.Committed.class);
    }

    @Test
    void a_dead_writer_is_reported() throws Exception {
        open(1);
        ProjectId project = ledger.projects().create("shop").project().id();
        steps.actAt(WriteStep.CHECKPOINT, connection -> {
            throw new OutOfMemoryError("planted");
        });
        Samples.accept(ledger, events(project, 0, 1));

        AcceptResult next = Samples.accept(ledger, events(project, 1, 2));

        assertThat(next instanceof AcceptResult.Committed)
                .as("writes are refused (%s) while health reports the ledger writable", next)
                .isEqualTo(ledger.writable());
    }

    private void open(long walBytesMax) {
        WriterLimits usual = Samples.limits();
        WriterLimits limits = new WriterLimits(
                usual.waitingTasksMax(),
                usual.waitingBytesMax(),
                usual.groupTasksMax(),
                usual.groupRowsMax(),
                usual.captureWait(),
                usual.soloWait(),
                walBytesMax,
                usual.checkpointWait(),
                Duration.ZERO);
        ledger = Ledger.open(
                Samples.roomy(dir),
                Samples.CLOCK,
                new LedgerTuning(limits, steps, Duration.ofSeconds(5), Duration.ofSeconds(5), Ticker.system()));
    }
}
