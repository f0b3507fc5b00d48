package dev.porcupine.ledger;

import static dev.porcupine.ledger.Samples.events;
import static dev.porcupine.ledger.Samples.kinds;
import static dev.porcupine.ledger.Samples.queued;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.porcupine.ledger.Quarantine.Left;
import dev.porcupine.ledger.Verdict.Kind;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuarantineTest {

    @TempDir
    private Path dir;

    private Ledger ledger;
    private ProjectId project;

    @BeforeEach
    void open() {
        ledger = Ledger.open(new LedgerSettings(dir, 10, 1_000_000), Samples.CLOCK, Samples.tuning(WriteSteps.NONE));
        project = ledger.projects().create("shop").project().id();
    }

    @AfterEach
    void close() {
        assertThat(RawRows.counted(ledger)).isEqualTo(ledger.status());
        ledger.close();
    }

    @Test
    void a_refused_event_keeps_payload_identity_and_reason() {
        Samples.accept(ledger, events(project, 0, 3));
        ledger.queue().quarantine(queued(ledger).subList(1, 2), "no such \u0000 date");

        QuarantinedEvent entry = ledger.quarantine().list(project, 0, 10).getFirst();

        assertThat(entry.event()).isEqualTo(events(project, 1, 2).getFirst());
        assertThat(entry.reason()).isEqualTo("no such \u0000 date");
        assertThat(entry.quarantinedAtMillis()).isEqualTo(Samples.CLOCK.millis());
        assertThat(queued(ledger)).hasSize(2);
        assertThat(ledger.status().quarantined()).isEqualTo(1);
    }

    @Test
    void quarantining_again_changes_nothing() {
        Samples.accept(ledger, events(project, 0, 3));
        List<QueuedEvent> queued = queued(ledger);
        ledger.queue().quarantine(queued, "first");
        ledger.queue().quarantine(queued, "second");
        ledger.queue().settle(queued, Samples.SOURCE);

        assertThat(ledger.quarantine().list(project, 0, 10))
                .extracting(QuarantinedEvent::reason)
                .containsExactly("first", "first", "first");
        assertThat(ledger.status().receipts()).isZero();
    }

    @Test
    void pages_ascend_and_show_one_project() {
        ProjectId other = ledger.projects().create("blog").project().id();
        Samples.accept(ledger, events(project, 0, 3));
        Samples.accept(ledger, events(other, 0, 2));
        ledger.queue().quarantine(queued(ledger), "bad");

        List<QuarantinedEvent> first = ledger.quarantine().list(project, 0, 2);
        List<QuarantinedEvent> second =
                ledger.quarantine().list(project, first.getLast().seq(), 2);

        assertThat(first).extracting(QuarantinedEvent::event).containsExactlyElementsOf(events(project, 0, 2));
        assertThat(second).extracting(QuarantinedEvent::event).containsExactlyElementsOf(events(project, 2, 3));
        assertThat(ledger.quarantine().list(project, second.getLast().seq(), 2)).isEmpty();
        assertThatThrownBy(() -> ledger.quarantine().list(project, 0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ledger.quarantine().list(project, 0, 1_001))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_retried_entry_goes_to_the_end_of_the_queue_and_is_known_all_the_time() {
        Samples.accept(ledger, events(project, 0, 1));
        ledger.queue().quarantine(queued(ledger), "bad");
        Samples.accept(ledger, events(project, 1, 3));
        long seq = ledger.quarantine().list(project, 0, 1).getFirst().seq();
        assertThat(kinds(Samples.accept(ledger, events(project, 0, 1)))).containsExactly(Kind.KNOWN_IN_QUARANTINE);

        assertThat(ledger.quarantine().retry(project, seq)).isTrue();

        assertThat(queued(ledger))
                .extracting(q -> q.event())
                .containsExactlyElementsOf(List.of(
                        events(project, 1, 2).getFirst(),
                        events(project, 2, 3).getFirst(),
                        events(project, 0, 1).getFirst()));
        assertThat(kinds(Samples.accept(ledger, events(project, 0, 1)))).containsExactly(Kind.KNOWN_IN_QUEUE);
        assertThat(ledger.quarantine().retry(project, seq)).isFalse();
        ledger.queue().settle(queued(ledger), Samples.SOURCE);
        assertThat(kinds(Samples.accept(ledger, events(project, 0, 1)))).containsExactly(Kind.KNOWN_BY_RECEIPT);
    }

    @Test
    void another_projects_entry_is_not_there() {
        ProjectId other = ledger.projects().create("blog").project().id();
        Samples.accept(ledger, events(project, 0, 1));
        ledger.queue().quarantine(queued(ledger), "bad");
        long seq = ledger.quarantine().list(project, 0, 1).getFirst().seq();

        assertThat(ledger.quarantine().retry(other, seq)).isFalse();
        assertThat(ledger.quarantine().retry(project, seq + 1)).isFalse();
        assertThat(ledger.quarantine().list(project, 0, 1)).hasSize(1);
    }

    @Test
    void a_full_queue_refuses_a_retry_and_keeps_the_entry() {
        Samples.accept(ledger, events(project, 0, 1));
        ledger.queue().quarantine(queued(ledger), "bad");
        Samples.accept(ledger, events(project, 1, 11));
        long seq = ledger.quarantine().list(project, 0, 1).getFirst().seq();

        assertThatThrownBy(() -> ledger.quarantine().retry(project, seq))
                .isInstanceOfSatisfying(
                        ProblemException.class, e -> assertThat(e.problem()).isEqualTo(Problem.QUEUE_FULL));

        assertThat(ledger.quarantine().list(project, 0, 1)).hasSize(1);
        ledger.queue().settle(queued(ledger).subList(0, 1), Samples.SOURCE);
        assertThat(ledger.quarantine().retry(project, seq)).isTrue();
    }

    @Test
    void retry_of_all_stops_at_a_full_queue_and_says_how_far_it_came() {
        Samples.accept(ledger, events(project, 0, 6));
        ledger.queue().quarantine(queued(ledger), "bad");
        Samples.accept(ledger, events(project, 6, 14));

        assertThat(ledger.quarantine().retryAll(project)).isEqualTo(new Quarantine.Retried(2, Left.NO_ROOM));

        assertThat(queued(ledger))
                .extracting(QueuedEvent::event)
                .endsWith(events(project, 0, 2).toArray(Event[]::new));
        assertThat(ledger.quarantine().retryAll(project)).isEqualTo(new Quarantine.Retried(0, Left.NO_ROOM));
        assertThat(ledger.quarantine().list(project, 0, 10)).hasSize(4);
        ledger.queue().settle(queued(ledger), Samples.SOURCE);
        assertThat(ledger.quarantine().retryAll(project)).isEqualTo(new Quarantine.Retried(4, Left.NOTHING));
        assertThat(ledger.quarantine().retryAll(project)).isEqualTo(new Quarantine.Retried(0, Left.NOTHING));
        assertThat(kinds(Samples.accept(ledger, events(project, 0, 6)))).doesNotContain(Kind.ACCEPTED);
    }

    @Test
    void retry_of_all_takes_as_many_transactions_as_it_needs_and_one_project_only() {
        ledger.close();
        ledger = Samples.open(dir);
        ProjectId other = ledger.projects().create("blog").project().id();
        Samples.accept(ledger, events(project, 0, 700));
        Samples.accept(ledger, events(other, 0, 3));
        ledger.queue().quarantine(queued(ledger), "bad");

        assertThat(ledger.quarantine().retryAll(project)).isEqualTo(new Quarantine.Retried(700, Left.NOTHING));

        assertThat(queued(ledger)).extracting(QueuedEvent::event).containsExactlyElementsOf(events(project, 0, 700));
        assertThat(ledger.quarantine().list(other, 0, 10)).hasSize(3);
    }

    /** The clock stands but for the second transaction, which outlasts the time of a whole retry. */
    @Test
    void retry_of_all_begins_no_transaction_once_its_time_is_up_and_says_that_more_are_left() {
        ledger.close();
        AtomicLong now = new AtomicLong();
        AtomicInteger commits = new AtomicInteger(Integer.MIN_VALUE);
        WriteSteps slow = (step, connection) -> {
            if (step == WriteStep.COMMITTED && commits.incrementAndGet() == 2) {
                now.addAndGet(Quarantine.RETRY_MAX.toNanos());
            }
        };
        ledger = Ledger.open(
                Samples.roomy(dir),
                Samples.CLOCK,
                new LedgerTuning(Samples.limits(), slow, Duration.ofSeconds(5), Duration.ofSeconds(5), now::get));
        Samples.accept(ledger, events(project, 0, 1_000));
        ledger.queue().quarantine(queued(ledger), "bad");
        commits.set(0);

        assertThat(ledger.quarantine().retryAll(project))
                .isEqualTo(new Quarantine.Retried(2 * RetryRows.ROWS_MAX, Left.MORE));

        assertThat(queued(ledger)).extracting(QueuedEvent::event).containsExactlyElementsOf(events(project, 0, 512));
        assertThat(ledger.quarantine().retryAll(project)).isEqualTo(new Quarantine.Retried(488, Left.NOTHING));
    }

    @Test
    void retry_of_all_leaves_nothing_unsaid_at_the_edge_of_a_transaction() {
        ledger.close();
        ledger = Ledger.open(
                Samples.roomy(dir),
                Samples.CLOCK,
                new LedgerTuning(
                        Samples.limits(),
                        WriteSteps.NONE,
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(5),
                        new AtomicLong()::incrementAndGet));
        Samples.accept(ledger, events(project, 0, RetryRows.ROWS_MAX));
        ledger.queue().quarantine(queued(ledger), "bad");

        assertThat(ledger.quarantine().retryAll(project))
                .isEqualTo(new Quarantine.Retried(RetryRows.ROWS_MAX, Left.NOTHING));
    }

    /** A mutation brings a row of its own, which history refuses like its original. */
    @Test
    void a_full_quarantine_takes_no_mutation() {
        Samples.accept(ledger, events(project, 0, 10));
        ledger.queue().quarantine(queued(ledger), "bad");
        Event second = MutationsTest.revised(Samples.event(project, 0), 2);
        LocalTrace trace = ledger.mutations().trace(second.identity());

        assertThat(ledger.mutations().mutate(second, trace, MutationsTest.WAIT))
                .isInstanceOfSatisfying(MutateResult.Refused.class, refused -> {
                    assertThat(refused.problem()).isEqualTo(Problem.QUEUE_FULL);
                    assertThat(refused.detail()).contains("10 events lie in quarantine");
                });
        assertThat(ledger.status().heads()).isZero();

        ledger.quarantine()
                .retry(
                        project,
                        ledger.quarantine().list(project, 9, 1).getFirst().seq());
        assertThat(ledger.mutations().mutate(second, trace, MutationsTest.WAIT)).isEqualTo(new MutateResult.Written());
    }

    @Test
    void snapshot_gives_what_stood_there_at_its_beginning_whatever_is_retried_meanwhile() {
        Samples.accept(ledger, events(project, 0, 5));
        ledger.queue().quarantine(queued(ledger), "bad");
        List<Event> seen = new ArrayList<>();

        ledger.quarantine().snapshot(project, entry -> {
            if (seen.isEmpty()) {
                ledger.quarantine().retryAll(project);
                Samples.accept(ledger, events(project, 5, 8));
            }
            seen.add(entry.event());
        });

        assertThat(seen).containsExactlyElementsOf(events(project, 0, 5));
        assertThat(ledger.quarantine().list(project, 0, 10)).isEmpty();
    }

    /** What leaves the queue makes room in it: without a bound of its own the quarantine would take in a flood for ever. */
    @Test
    void a_quarantine_as_large_as_the_queues_budget_refuses_new_events_and_knows_its_own() {
        Samples.accept(ledger, events(project, 0, 9));
        ledger.queue().quarantine(queued(ledger), "bad");
        assertThat(kinds(Samples.accept(ledger, events(project, 9, 10)))).containsExactly(Kind.ACCEPTED);
        ledger.queue().quarantine(queued(ledger), "bad");

        assertThat(Samples.accept(ledger, events(project, 10, 11)))
                .isInstanceOfSatisfying(AcceptResult.Refused.class, refused -> {
                    assertThat(refused.problem()).isEqualTo(Problem.QUEUE_FULL);
                    assertThat(refused.detail()).contains("10 events lie in quarantine");
                });
        assertThat(kinds(Samples.accept(ledger, events(project, 0, 10)))).containsOnly(Kind.KNOWN_IN_QUARANTINE);

        ledger.quarantine()
                .retry(
                        project,
                        ledger.quarantine().list(project, 0, 1).getFirst().seq());
        assertThat(kinds(Samples.accept(ledger, events(project, 10, 11)))).containsExactly(Kind.ACCEPTED);
    }

    @Test
    void a_long_reason_is_cut() {
        Samples.accept(ledger, events(project, 0, 1));
        ledger.queue().quarantine(queued(ledger), "x".repeat(5_000));

        assertThat(ledger.quarantine().list(project, 0, 1).getFirst().reason()).hasSize(2_000);
    }
}
