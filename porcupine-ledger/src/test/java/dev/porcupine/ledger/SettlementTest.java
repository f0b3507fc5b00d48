package dev.porcupine.ledger;

import static dev.porcupine.ledger.Samples.event;
import static dev.porcupine.ledger.Samples.events;
import static dev.porcupine.ledger.Samples.kinds;
import static dev.porcupine.ledger.Samples.queued;
import static dev.porcupine.ledger.Samples.times;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.porcupine.ledger.Verdict.Kind;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettlementTest {

    @TempDir
    private Path dir;

    private final StepScript steps = new StepScript();
    private Ledger ledger;
    private ProjectId project;

    @BeforeEach
    void open() {
        ledger = Samples.open(dir, steps);
        project = ledger.projects().create("shop").project().id();
    }

    @AfterEach
    void close() {
        assertThat(RawRows.counted(ledger)).isEqualTo(ledger.status());
        ledger.close();
    }

    @ParameterizedTest
    @CsvSource({"0,0", "1,1", "255,1", "256,1", "257,2", "512,2", "2305,10"})
    void one_transaction_settles_at_most_256(int count, int transactions) {
        if (count > 0) {
            ledger.acceptance().accept(events(project, 0, count));
        }
        List<QueuedEvent> queued = queued(ledger);
        steps.watch();

        ledger.queue().settle(queued);

        assertThat(steps.seen().stream().filter(step -> step == WriteStep.COMMITTED))
                .hasSize(transactions);
        assertThat(ledger.status().receipts()).isEqualTo(count);
        assertThat(ledger.status().queueEvents()).isZero();
        if (count > 0) {
            assertThat(kinds(ledger.acceptance().accept(events(project, 0, count))))
                    .isEqualTo(times(count, Kind.KNOWN_BY_RECEIPT));
        }
    }

    @Test
    void settling_again_changes_nothing() {
        ledger.acceptance().accept(events(project, 0, 5));
        List<QueuedEvent> queued = queued(ledger);
        ledger.queue().settle(queued);
        LedgerStatus once = ledger.status();

        ledger.queue().settle(queued);
        List<QueuedEvent> twice = new ArrayList<>(queued);
        twice.addAll(queued);
        ledger.queue().settle(twice);

        assertThat(ledger.status()).isEqualTo(once);
    }

    @Test
    void the_same_event_twice_in_one_settlement_makes_one_receipt() {
        ledger.acceptance().accept(events(project, 0, 2));
        List<QueuedEvent> queued = new ArrayList<>(queued(ledger));
        queued.addAll(queued(ledger));

        ledger.queue().settle(queued);

        assertThat(ledger.status().receipts()).isEqualTo(2);
        assertThat(ledger.status().queueEvents()).isZero();
        assertThat(ledger.status().queueBytes()).isZero();
    }

    @Test
    void an_event_that_is_not_queued_under_that_seq_gets_no_receipt() {
        ledger.acceptance().accept(events(project, 0, 2));
        QueuedEvent first = queued(ledger).getFirst();
        Event never = event(project, 99);

        ledger.queue().settle(List.of(new QueuedEvent(first.seq(), never, first.bytes())));
        ledger.queue().settle(List.of(new QueuedEvent(first.seq() + 1, first.event(), first.bytes())));
        ledger.queue().settle(List.of(new QueuedEvent(first.seq() + 1_000, first.event(), first.bytes())));
        ledger.queue().quarantine(List.of(new QueuedEvent(first.seq(), never, first.bytes())), "bad");

        assertThat(ledger.status().receipts()).isZero();
        assertThat(ledger.status().quarantined()).isZero();
        assertThat(queued(ledger)).hasSize(2);
        assertThat(kinds(ledger.acceptance().accept(List.of(never)))).containsExactly(Kind.ACCEPTED);
    }

    @Test
    void a_stale_settlement_leaves_a_retried_event_in_the_queue() {
        ledger.acceptance().accept(events(project, 0, 1));
        List<QueuedEvent> stale = queued(ledger);
        ledger.queue().quarantine(stale, "bad");
        long entry = ledger.quarantine().list(project, 0, 1).getFirst().seq();
        ledger.quarantine().retry(project, entry);

        ledger.queue().settle(stale);

        assertThat(queued(ledger)).hasSize(1);
        assertThat(ledger.status().receipts()).isZero();
        assertThat(queued(ledger).getFirst().seq())
                .isGreaterThan(stale.getFirst().seq());
    }

    @Test
    void a_revision_leaves_the_queue_without_a_second_receipt() {
        ledger.acceptance().accept(events(project, 0, 1));
        RawRows.in(ledger, """
                insert into event_queue (
                    project_id, uuid, revision, is_deleted, name, distinct_id, timestamp_us, received_at, bytes, properties
                )
                select project_id, uuid, 2, 1, name, distinct_id, timestamp_us, received_at, 7, properties from event_queue
                """);
        RawRows.in(ledger, "update ledger_state set queue_events = 2, queue_bytes = queue_bytes + 7");
        reopen();
        List<QueuedEvent> queued = queued(ledger);
        assertThat(queued).extracting(q -> q.event().revision()).containsExactly(1L, 2L);

        ledger.queue().settle(queued.subList(1, 2));
        assertThat(ledger.status().receipts()).isZero();
        assertThat(kinds(ledger.acceptance().accept(events(project, 0, 1)))).containsExactly(Kind.KNOWN_IN_QUEUE);

        ledger.queue().settle(queued);
        assertThat(ledger.status().receipts()).isEqualTo(1);
        assertThat(queued(ledger)).isEmpty();
    }

    @Test
    void receipts_are_numbered_in_the_order_of_settlement() {
        ledger.acceptance().accept(events(project, 0, 300));
        List<QueuedEvent> queued = queued(ledger);
        ledger.queue().settle(queued.subList(200, 300));
        ledger.queue().settle(queued.subList(0, 200));
        reopen();
        ledger.acceptance().accept(events(project, 300, 301));
        ledger.queue().settle(queued(ledger));

        List<String> order =
                RawRows.query(dir, "select received_at - 1796000000000 from event_receipts order by settled_seq");
        List<String> expected = new ArrayList<>();
        for (int n = 200; n < 300; n++) {
            expected.add(Integer.toString(n));
        }
        for (int n = 0; n < 200; n++) {
            expected.add(Integer.toString(n));
        }
        expected.add("300");
        assertThat(order).isEqualTo(expected);
        assertThat(RawRows.query(dir, "select count(distinct settled_seq) from event_receipts"))
                .containsExactly("301");
    }

    @Test
    void a_failed_transaction_leaves_its_events_queued_and_says_so() {
        ledger.acceptance().accept(events(project, 0, 600));
        List<QueuedEvent> queued = queued(ledger);
        steps.actAt(WriteStep.COMMIT, StepScript.fail());

        assertThatThrownBy(() -> ledger.queue().settle(queued))
                .isInstanceOfSatisfying(
                        ProblemException.class, e -> assertThat(e.problem()).isEqualTo(Problem.LEDGER_UNAVAILABLE));

        assertThat(ledger.status().receipts() + ledger.status().queueEvents()).isEqualTo(600);
        assertThat(ledger.status().queueEvents()).isGreaterThanOrEqualTo(256);
        ledger.queue().settle(queued);
        assertThat(ledger.status().receipts()).isEqualTo(600);
    }

    @Test
    void oldest_comes_in_order_and_within_both_bounds() {
        ledger.acceptance().accept(events(project, 0, 10));
        List<QueuedEvent> all = queued(ledger);
        assertThat(all).extracting(QueuedEvent::event).containsExactlyElementsOf(events(project, 0, 10));
        long two = all.get(0).bytes() + all.get(1).bytes();

        assertThat(ledger.queue().oldest(3, Long.MAX_VALUE)).isEqualTo(all.subList(0, 3));
        assertThat(ledger.queue().oldest(10, two)).isEqualTo(all.subList(0, 2));
        assertThat(ledger.queue().oldest(10, two - 1)).isEqualTo(all.subList(0, 1));
        assertThat(ledger.queue().oldest(10, 0)).isEqualTo(all.subList(0, 1));
        assertThatThrownBy(() -> ledger.queue().oldest(0, 1)).isInstanceOf(IllegalArgumentException.class);
        ledger.queue().settle(all);
        assertThat(ledger.queue().oldest(10, 10)).isEqualTo(Collections.emptyList());
    }

    private void reopen() {
        ledger.close();
        ledger = Samples.open(dir, steps);
    }
}
