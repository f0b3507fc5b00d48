package dev.porcupine.ledger;

import static dev.porcupine.ledger.Samples.events;
import static dev.porcupine.ledger.Samples.queued;
import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.ProjectId;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A restart in the middle of a removal must not make a complete record incomplete: nothing was evicted or omitted (P14, I4). */
class RestartWithinRemovalTest {

    @TempDir
    private Path dir;

    /** Original and revision dropped from the queue; the head stays until the stage RECEIPTS, however long history is away. */
    @Test
    void restart_while_history_is_away_leaves_the_record_complete() {
        ProjectId project;
        try (Ledger ledger = Samples.open(dir)) {
            project = ledger.projects().create("shop").project().id();
            mutated(ledger, project);
            ledger.removals().begin(project);
            while (ledger.removals().find(project).orElseThrow().stage() == RemovalStage.QUEUE) {
                ledger.removals().dropWaiting(project);
            }
            assertThat(ledger.status().complete()).isTrue();
        }
        try (Ledger ledger = Samples.open(dir)) {
            assertThat(ledger.status().evictedReceipts()).isZero();
            assertThat(ledger.status().complete()).isTrue();
        }
    }

    /** Receipts go before heads; a kill in between. */
    @Test
    void restart_between_receipts_and_heads_leaves_the_record_complete() {
        ProjectId project;
        try (Ledger ledger = Samples.open(dir)) {
            project = ledger.projects().create("shop").project().id();
            mutated(ledger, project);
            ledger.queue().settle(queued(ledger), Samples.SOURCE);
            ledger.removals().begin(project);
            while (ledger.removals().find(project).orElseThrow().stage() == RemovalStage.QUEUE) {
                ledger.removals().dropWaiting(project);
            }
            ledger.removals().deliveriesEnded(project);
            ledger.removals().historyEmpty(project);
            assertThat(ledger.removals().forget(project)).isTrue();
            assertThat(ledger.status().complete()).isTrue();
        }
        try (Ledger ledger = Samples.open(dir)) {
            assertThat(ledger.status().evictedReceipts()).isZero();
            assertThat(ledger.status().complete()).isTrue();
        }
    }

    /** The record stays incomplete for ever, also when the project is long gone: the door of the complete record is shut. */
    @Test
    void after_the_removal_ended_the_ledger_accepts_by_its_own_record_as_before() {
        restart_while_history_is_away_leaves_the_record_complete_without_looking();
        try (Ledger ledger = Samples.open(dir)) {
            ProjectId gone = new ProjectId(1);
            RemovalStory.removeToTheEnd(ledger, gone);
            ProjectId other = ledger.projects().create("other").project().id();
            assertThat(Samples.accept(ledger, List.of(Samples.event(other, 99))))
                    .isInstanceOf(AcceptResult.Committed.class);
        }
    }

    private void restart_while_history_is_away_leaves_the_record_complete_without_looking() {
        try (Ledger ledger = Samples.open(dir)) {
            ProjectId project = ledger.projects().create("shop").project().id();
            mutated(ledger, project);
            ledger.removals().begin(project);
            while (ledger.removals().find(project).orElseThrow().stage() == RemovalStage.QUEUE) {
                ledger.removals().dropWaiting(project);
            }
        }
    }

    private static void mutated(Ledger ledger, ProjectId project) {
        Samples.accept(ledger, events(project, 0, 1));
        Event second = MutationsTest.revised(Samples.event(project, 0), 2);
        assertThat(ledger.mutations().mutate(second, ledger.mutations().trace(second.identity()), MutationsTest.WAIT))
                .isEqualTo(new MutateResult.Written());
    }
}
