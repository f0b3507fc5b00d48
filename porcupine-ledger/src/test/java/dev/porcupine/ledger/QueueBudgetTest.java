package dev.porcupine.ledger;

import static dev.porcupine.ledger.Samples.events;
import static dev.porcupine.ledger.Samples.kinds;
import static dev.porcupine.ledger.Samples.queued;
import static dev.porcupine.ledger.Samples.times;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.porcupine.ledger.Verdict.Kind;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProjectId;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueueBudgetTest {

    private static final long LARGE = 1L << 40;

    @TempDir
    private Path dir;

    @Test
    void the_last_event_that_fits_is_taken_and_the_next_is_not() {
        try (Ledger ledger = open(10, LARGE)) {
            ProjectId project = ledger.projects().create("shop").project().id();
            assertThat(kinds(ledger.acceptance().accept(events(project, 0, 9)))).hasSize(9);

            assertRefused(ledger, events(project, 9, 11));
            assertThat(kinds(ledger.acceptance().accept(events(project, 9, 10))))
                    .containsExactly(Kind.ACCEPTED);
            assertRefused(ledger, events(project, 10, 11));

            assertThat(ledger.status().queueEvents()).isEqualTo(10);
        }
    }

    @Test
    void the_last_byte_that_fits_is_taken_and_the_next_is_not() {
        long each = EncodedEvent.of(events(new ProjectId(1), 0, 1).getFirst()).bytes();
        try (Ledger ledger = open(100, 3 * each)) {
            ProjectId project = ledger.projects().create("shop").project().id();
            assertThat(kinds(ledger.acceptance().accept(events(project, 0, 3)))).hasSize(3);
            assertThat(ledger.status().queueBytes()).isEqualTo(3 * each);
        }
        try (Ledger ledger = open(100, 4 * each - 1)) {
            ProjectId project = ledger.projects().list().getFirst().id();
            assertRefused(ledger, events(project, 3, 4));
        }
        try (Ledger ledger = open(100, 4 * each)) {
            ProjectId project = ledger.projects().list().getFirst().id();
            assertThat(kinds(ledger.acceptance().accept(events(project, 3, 4)))).containsExactly(Kind.ACCEPTED);
        }
    }

    @Test
    void a_full_queue_stores_nothing_of_a_batch_and_still_knows_duplicates() {
        try (Ledger ledger = open(10, LARGE)) {
            ProjectId project = ledger.projects().create("shop").project().id();
            ledger.acceptance().accept(events(project, 0, 10));

            assertRefused(ledger, events(project, 5, 15));
            assertThat(kinds(ledger.acceptance().accept(events(project, 0, 10))))
                    .isEqualTo(times(10, Kind.KNOWN_IN_QUEUE));
            assertThat(queued(ledger)).hasSize(10);
            assertThat(RawRows.counted(ledger)).isEqualTo(ledger.status());

            ledger.queue().settle(queued(ledger).subList(0, 5));
            assertThat(kinds(ledger.acceptance().accept(events(project, 5, 15))))
                    .containsExactlyElementsOf(List.of(
                            Kind.KNOWN_IN_QUEUE,
                            Kind.KNOWN_IN_QUEUE,
                            Kind.KNOWN_IN_QUEUE,
                            Kind.KNOWN_IN_QUEUE,
                            Kind.KNOWN_IN_QUEUE,
                            Kind.ACCEPTED,
                            Kind.ACCEPTED,
                            Kind.ACCEPTED,
                            Kind.ACCEPTED,
                            Kind.ACCEPTED));
        }
    }

    @Test
    void a_smaller_budget_after_a_restart_refuses_and_keeps_what_is_queued() {
        try (Ledger ledger = open(10, LARGE)) {
            ProjectId project = ledger.projects().create("shop").project().id();
            ledger.acceptance().accept(events(project, 0, 10));
        }
        try (Ledger ledger = open(1, 1)) {
            ProjectId project = ledger.projects().list().getFirst().id();
            assertRefused(ledger, events(project, 10, 11));
            assertThat(queued(ledger)).hasSize(10);
        }
    }

    @Test
    void a_budget_is_at_least_one() {
        assertThatThrownBy(() -> new LedgerSettings(dir, 0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new LedgerSettings(dir, 1, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    private Ledger open(long eventsMax, long bytesMax) {
        return Ledger.open(
                new LedgerSettings(dir, eventsMax, bytesMax), Samples.CLOCK, Samples.tuning(WriteSteps.NONE));
    }

    private static void assertRefused(Ledger ledger, List<Event> batch) {
        LedgerStatus before = ledger.status();
        assertThat(ledger.acceptance().accept(batch)).isInstanceOfSatisfying(AcceptResult.Refused.class, refused -> {
            assertThat(refused.problem()).isEqualTo(Problem.QUEUE_FULL);
            assertThat(refused.detail()).contains("of " + before.queueEventsMax() + " events");
        });
        assertThat(ledger.status()).isEqualTo(before);
    }
}
