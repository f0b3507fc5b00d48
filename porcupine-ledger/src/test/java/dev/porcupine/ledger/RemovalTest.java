package dev.porcupine.ledger;

import static dev.porcupine.ledger.Samples.events;
import static dev.porcupine.ledger.Samples.queued;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.porcupine.ledger.Removal.Removed;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
class RemovalTest {

    @TempDir
    private Path dir;

    private final StepScript steps = new StepScript();
    private Ledger ledger;

    @BeforeEach
    void open() {
        ledger = Samples.open(dir, steps);
    }

    @AfterEach
    void close() {
        assertThat(RawRows.counted(ledger)).isEqualTo(ledger.status());
        ledger.close();
    }

    @Test
    void a_fenced_project_is_known_to_nobody_and_takes_no_writes() {
        CreatedProject created = ledger.projects().create("shop");
        ProjectId project = created.project().id();
        Samples.accept(ledger, events(project, 0, 2));
        ledger.queue().quarantine(queued(ledger), "bad");
        long entry = ledger.quarantine().list(project, 0, 1).getFirst().seq();

        Removal removal = ledger.removals().begin(project).orElseThrow();

        for (int opened = 0; opened < 2; opened++) {
            assertThat(ledger.projects().byToken(created.token().secret())).isEmpty();
            assertThat(ledger.projects().find(project)).isEmpty();
            assertThat(ledger.projects().list()).isEmpty();
            assertThat(ledger.projects().tokens(project)).isEmpty();
            assertThat(ledger.projects().issueToken(project)).isEmpty();
            assertThat(ledger.projects().revokeToken(project, created.token().id()))
                    .isFalse();
            assertThat(ledger.quarantine().retry(project, entry)).isFalse();
            assertRefused(Samples.accept(ledger, events(project, 5, 6)));
            assertThat(ledger.removals().begin(project)).contains(removal);
            assertThat(ledger.removals().pending()).containsExactly(removal);
            ledger.close();
            ledger = Samples.open(dir, steps);
        }
        assertThat(ledger.status().queueEvents()).isZero();
        assertThat(ledger.removals().begin(new ProjectId(99))).isEmpty();
        assertThat(ledger.removals().find(new ProjectId(99))).isEmpty();
    }

    @Test
    void capture_that_knew_its_project_before_the_fence_and_comes_after_it_is_refused() throws Exception {
        ProjectId project = ledger.projects().create("shop").project().id();
        StepScript.Gate gate = new StepScript.Gate();
        steps.actAt(WriteStep.COMMIT, gate);
        CompletableFuture<?> fence =
                CompletableFuture.supplyAsync(() -> ledger.removals().begin(project));
        gate.awaitReached();
        CompletableFuture<AcceptResult> capture =
                CompletableFuture.supplyAsync(() -> Samples.accept(ledger, events(project, 0, 3)));
        while (ledger.writer().waitingCaptures() == 0) {
            Thread.onSpinWait();
        }

        gate.open();

        fence.get();
        assertRefused(capture.get());
        assertThat(ledger.status().queueEvents()).isZero();
    }

    @Test
    void capture_that_commits_before_the_fence_is_removed_with_the_project() throws Exception {
        ProjectId project = ledger.projects().create("shop").project().id();
        StepScript.Gate gate = new StepScript.Gate();
        steps.actAt(WriteStep.COMMIT, gate);
        CompletableFuture<AcceptResult> capture =
                CompletableFuture.supplyAsync(() -> Samples.accept(ledger, events(project, 0, 3)));
        gate.awaitReached();
        CompletableFuture<?> fence =
                CompletableFuture.supplyAsync(() -> ledger.removals().begin(project));
        gate.open();
        fence.get();

        assertThat(Samples.kinds(capture.get())).hasSize(3);
        RemovalStory.removeToTheEnd(ledger, project);
        RemovalStory.assertNoRowOf(dir, project);
        assertThat(ledger.removals().find(project).orElseThrow().removed()).isEqualTo(new Removed(3, 0, 0, 0, 0));
    }

    @Test
    void fence_that_is_on_disk_without_an_answer_holds() {
        ProjectId project = ledger.projects().create("shop").project().id();
        steps.actAt(WriteStep.COMMITTED, StepScript.fail());
        assertThatThrownBy(() -> ledger.removals().begin(project))
                .isInstanceOfSatisfying(
                        ProblemException.class, e -> assertThat(e.problem()).isEqualTo(Problem.LEDGER_UNAVAILABLE));

        assertRefused(Samples.accept(ledger, events(project, 0, 1)));

        assertThat(ledger.removals().pending()).hasSize(1);
    }

    @Test
    void removed_project_has_no_row_in_any_table_and_the_others_are_as_before() {
        ProjectId before = RemovalStory.project(ledger, 5);
        ProjectId project = RemovalStory.project(ledger, 600);
        ProjectId after = RemovalStory.project(ledger, 5);
        assertThat(RemovalStory.tablesByProject(dir))
                .contains("event_queue", "event_quarantine", "event_receipts", "mutation_heads", "project_tokens");
        List<String> others = List.of(
                String.join("\n", RemovalStory.rowsOf(dir, before)),
                String.join("\n", RemovalStory.rowsOf(dir, after)));
        LedgerStatus status = ledger.status();

        RemovalStory.removeToTheEnd(ledger, project);

        RemovalStory.assertNoRowOf(dir, project);
        assertThat(List.of(
                        String.join("\n", RemovalStory.rowsOf(dir, before)),
                        String.join("\n", RemovalStory.rowsOf(dir, after))))
                .isEqualTo(others);
        Removal removal = ledger.removals().find(project).orElseThrow();
        assertThat(removal.done()).isTrue();
        assertThat(removal.removed()).isEqualTo(new Removed(600, 600, 0, 600, 600));
        assertThat(ledger.status().receipts()).isEqualTo(status.receipts() - 600);
        assertThat(ledger.status().complete()).isTrue();
        assertThat(ledger.status().evictedReceipts()).isZero();
        assertThat(ledger.removals().pending()).isEmpty();
        assertThat(ledger.removals().removes(project.value())).isTrue();
        assertThat(ledger.removals().removes(before.value())).isFalse();
        assertThat(ledger.removals().left(project)).isEqualTo(new Removals.Left(0, 0, 0, 0));
    }

    @Test
    void number_of_a_removed_project_is_never_given_again() {
        ProjectId project = ledger.projects().create("shop").project().id();
        RemovalStory.removeToTheEnd(ledger, project);
        ledger.close();
        ledger = Samples.open(dir, steps);

        assertThat(ledger.projects().create("next").project().id()).isGreaterThan(project);
        assertThat(ledger.removals().find(project).orElseThrow().done()).isTrue();
    }

    @Test
    void no_step_removes_more_than_256_rows() {
        ProjectId project = RemovalStory.project(ledger, 513);
        Removals removals = ledger.removals();
        removals.begin(project);
        assertThat(removals.dropWaiting(project).removed()).isEqualTo(new Removed(256, 0, 0, 0, 0));
        assertThat(removals.dropWaiting(project).removed()).isEqualTo(new Removed(512, 0, 0, 0, 0));
        assertThat(removals.dropWaiting(project).removed()).isEqualTo(new Removed(513, 0, 0, 0, 0));
        assertThat(removals.dropWaiting(project).removed()).isEqualTo(new Removed(513, 256, 0, 0, 0));
        assertThat(removals.left(project)).isEqualTo(new Removals.Left(0, 257, 513, 513));
        while (removals.dropWaiting(project).stage() == RemovalStage.QUEUE) {
            assertThat(ledger.status().quarantined()).isLessThan(257);
        }
        removals.deliveriesEnded(project);
        assertThat(removals.historyHolds(project, 40).removed().historyRows()).isEqualTo(40);
        assertThat(removals.historyHolds(project, 7).removed().historyRows()).isEqualTo(40);
        removals.historyEmpty(project);
        assertThat(removals.forget(project)).isTrue();
        assertThat(removals.left(project)).isEqualTo(new Removals.Left(0, 0, 257, 513));
        RemovalStory.removeToTheEnd(ledger, project);
        assertThat(removals.find(project).orElseThrow().removed()).isEqualTo(new Removed(513, 513, 40, 513, 513));
    }

    @Test
    void large_payloads_are_dropped_a_few_at_a_time() {
        ProjectId project = ledger.projects().create("shop").project().id();
        String text = "x".repeat(1_000_000);
        for (int n = 0; n < 20; n++) {
            Samples.accept(ledger, List.of(Samples.event(project, n, "e", text)));
        }
        ledger.removals().begin(project);

        assertThat(ledger.removals().dropWaiting(project).removed().queued()).isBetween(7L, 8L);
    }

    @Test
    void step_out_of_its_turn_does_nothing() {
        ProjectId project = RemovalStory.project(ledger, 3);
        Removals removals = ledger.removals();
        Removal begun = removals.begin(project).orElseThrow();
        assertThat(removals.deliveriesEnded(project)).isEqualTo(begun);
        assertThat(removals.historyEmpty(project)).isEqualTo(begun);
        assertThat(removals.historyNotEmpty(project)).isEqualTo(begun);
        assertThat(removals.forget(project)).isFalse();
        assertThat(removals.finish(project)).isEqualTo(begun);
        assertThat(ledger.status().receipts()).isEqualTo(3);
        RemovalStory.removeToTheEnd(ledger, project);
        Removal done = removals.find(project).orElseThrow();
        assertThat(removals.dropWaiting(project)).isEqualTo(done);
        assertThat(removals.finish(project)).isEqualTo(done);
        assertThat(removals.begin(project)).contains(done);
    }

    /** What delivery read before the drop is settled, or set aside, into nothing. */
    @Test
    void events_that_were_read_before_the_drop_make_no_row_after_it() {
        ProjectId project = ledger.projects().create("shop").project().id();
        Samples.accept(ledger, events(project, 0, 4));
        List<QueuedEvent> read = queued(ledger);
        ledger.removals().begin(project);
        ledger.removals().dropWaiting(project);

        ledger.queue().settle(read.subList(0, 2), Samples.SOURCE);
        ledger.queue().quarantine(read.subList(2, 4), "bad");

        assertThat(ledger.status().receipts()).isZero();
        assertThat(ledger.status().quarantined()).isZero();
        RemovalStory.removeToTheEnd(ledger, project);
        RemovalStory.assertNoRowOf(dir, project);
    }

    @Test
    void two_removals_are_pending_in_the_order_of_asking() {
        ProjectId first = ledger.projects().create("a").project().id();
        ProjectId second = ledger.projects().create("b").project().id();
        ledger.removals().begin(first);
        ledger.removals().begin(second);
        assertThat(ledger.removals().pending()).extracting(Removal::project).containsExactly(first, second);
        RemovalStory.removeToTheEnd(ledger, first);
        assertThat(ledger.removals().pending()).extracting(Removal::project).containsExactly(second);
    }

    private static void assertRefused(AcceptResult result) {
        assertThat(result)
                .isInstanceOfSatisfying(
                        AcceptResult.Refused.class,
                        refused -> assertThat(refused.problem()).isEqualTo(Problem.TOKEN_INVALID));
    }
}
