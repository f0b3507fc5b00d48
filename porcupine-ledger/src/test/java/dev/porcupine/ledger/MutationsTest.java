package dev.porcupine.ledger;

import static dev.porcupine.ledger.Samples.event;
import static dev.porcupine.ledger.Samples.events;
import static dev.porcupine.ledger.Samples.kinds;
import static dev.porcupine.ledger.Samples.queued;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProjectId;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Heads, queued revisions and the receipts that heads make redundant. */
class MutationsTest {

    static final Duration WAIT = Duration.ofSeconds(30);

    private final StepScript steps = new StepScript();
    private Path dir;
    private Ledger ledger;
    private ProjectId project;

    @BeforeEach
    void open(@TempDir Path temporary) {
        dir = temporary;
        open(0);
        project = ledger.projects().create("shop").project().id();
    }

    @AfterEach
    void close() {
        ledger.close();
    }

    @Test
    void a_complete_record_says_that_an_unknown_event_was_never_accepted() {
        assertThat(trace(1)).isEqualTo(new LocalTrace.Absent());
    }

    @Test
    void the_newest_revision_is_traced_through_queue_delivery_and_quarantine() {
        Event original = accepted(1);
        assertThat(trace(1)).isEqualTo(new LocalTrace.Held(original, 0));
        settleAll();
        assertThat(trace(1)).isEqualTo(new LocalTrace.Delivered(1, original.receivedAtMillis(), 0));
        Event second = mutate(revised(original, 2));
        assertThat(trace(1)).isEqualTo(new LocalTrace.Held(second, 2));
        ledger.queue().quarantine(queued(ledger), "poison");
        assertThat(trace(1)).isEqualTo(new LocalTrace.Held(second, 2));
        Event third = mutate(revised(original, 3));
        assertThat(trace(1)).isEqualTo(new LocalTrace.Held(third, 3));
        settleAll();
        assertThat(trace(1)).isEqualTo(new LocalTrace.Delivered(3, original.receivedAtMillis(), 3));
        mutate(tombstone(original, 4));
        assertThat(trace(1)).isEqualTo(new LocalTrace.Deleted(4));
        settleAll();
        assertThat(trace(1)).isEqualTo(new LocalTrace.Deleted(4));
        assertCounted();
    }

    @Test
    void revisions_leave_in_order_behind_their_original() {
        Event original = accepted(1);
        Event second = mutate(revised(original, 2));
        Event third = mutate(tombstone(original, 3));
        assertThat(queued(ledger).stream().map(QueuedEvent::event)).containsExactly(original, second, third);
        assertThat(ledger.status().heads()).isOne();
        assertCounted();
    }

    @Test
    void a_mutation_made_from_an_old_trace_is_not_written() {
        Event original = accepted(1);
        LocalTrace before = trace(1);
        mutate(revised(original, 2));
        long bytes = ledger.status().queueBytes();
        assertThat(ledger.mutations().mutate(tombstone(original, 2), before, WAIT))
                .isEqualTo(new MutateResult.Moved());
        assertThat(ledger.status().queueBytes()).isEqualTo(bytes);
        assertThat(trace(1)).isEqualTo(new LocalTrace.Held(revised(original, 2), 2));
    }

    @Test
    void settlement_and_eviction_of_the_original_do_not_move_the_trace() {
        Event original = accepted(1);
        LocalTrace before = trace(1);
        settleAll();
        assertThat(ledger.mutations().mutate(revised(original, 2), before, WAIT))
                .isEqualTo(new MutateResult.Written());
    }

    @Test
    void a_mutated_event_stays_a_duplicate_for_ever_and_is_no_conflict() {
        Event original = accepted(1);
        settleAll();
        mutate(new Event(
                original.identity(), 2, false, "other", "somebody else", 0, original.receivedAtMillis(), json("{}")));
        assertThat(Samples.accept(ledger, List.of(event(project, 1))))
                .isEqualTo(new AcceptResult.Committed(List.of(new Verdict(Verdict.Kind.KNOWN_IN_QUEUE, false))));
        mutate(tombstone(original, 3));
        settleAll();
        assertThat(kinds(Samples.accept(ledger, List.of(event(project, 1)))))
                .containsExactly(Verdict.Kind.KNOWN_BY_RECEIPT);
    }

    @Test
    void a_full_queue_takes_no_mutation() {
        ledger.close();
        ledger = Ledger.open(new LedgerSettings(dir, 1, 1 << 20, 0), Samples.CLOCK, Samples.tuning(steps));
        Event original = accepted(1);
        assertThat(ledger.mutations().mutate(revised(original, 2), trace(1), WAIT))
                .isInstanceOfSatisfying(
                        MutateResult.Refused.class,
                        refused -> assertThat(refused.problem()).isEqualTo(Problem.QUEUE_FULL));
        assertThat(ledger.status().heads()).isZero();
    }

    /** Its row is still there: the fence, not the row, says what may be written. */
    @Test
    void a_project_that_was_fenced_since_the_trace_takes_no_mutation() {
        Event original = accepted(1);
        LocalTrace before = trace(1);
        ledger.removals().begin(project);
        assertThat(ledger.mutations().mutate(revised(original, 2), before, WAIT))
                .isInstanceOfSatisfying(
                        MutateResult.Refused.class,
                        refused -> assertThat(refused.problem()).isEqualTo(Problem.PROJECT_NOT_FOUND));
        assertThat(ledger.status().heads()).isZero();
    }

    @Test
    void a_project_that_is_gone_takes_no_mutation() {
        Event foreign = event(new ProjectId(99), 1);
        assertThat(ledger.mutations().mutate(revised(foreign, 2), new LocalTrace.Unknown(), WAIT))
                .isInstanceOfSatisfying(
                        MutateResult.Refused.class,
                        refused -> assertThat(refused.problem()).isEqualTo(Problem.PROJECT_NOT_FOUND));
    }

    @Test
    void without_a_limit_a_mutated_original_gets_its_receipt() {
        mutate(revised(accepted(1), 2));
        settleAll();
        assertThat(ledger.status().receipts()).isOne();
        assertThat(ledger.status().complete()).isTrue();
    }

    @Test
    void with_a_limit_a_redundant_receipt_is_omitted_and_older_releases_are_kept_out() throws Exception {
        reopen(10);
        mutate(revised(accepted(1), 2));
        accepted(2);
        insertAsAnOlderRelease();
        settleAll();
        assertThat(ledger.status().receipts())
                .as("of event 2 and of the older release's")
                .isEqualTo(2);
        assertThat(ledger.status().evictedReceipts()).isZero();
        assertThat(ledger.status().complete()).isFalse();
        assertThatThrownBy(this::insertAsAnOlderRelease).hasMessageContaining("receipt-aware release");
        assertThat(ledger.localRecord().look(List.of(event(project, 1))).known())
                .hasSize(1);
        assertCounted();
        reopen(10);
        assertThat(ledger.status().complete()).isFalse();
    }

    @Test
    void mutations_of_a_delivered_event_omit_nothing() {
        reopen(10);
        Event original = accepted(1);
        settleAll();
        mutate(revised(original, 2));
        settleAll();
        assertThat(ledger.status().receipts()).isOne();
        assertThat(ledger.status().complete()).isTrue();
    }

    @Test
    void a_failure_at_any_step_of_an_omitting_settlement_keeps_head_receipt_and_trigger_together() {
        reopen(10);
        for (int step = 0; ; step++) {
            ledger.close();
            dir = dir.resolve("n");
            open(10);
            project = ledger.projects().create("shop").project().id();
            Event original = accepted(1);
            mutate(revised(original, 2));
            accepted(2);
            steps.actAt(step, StepScript.fail());
            try {
                settleAll();
            } catch (RuntimeException e) {
                assertThat(steps.acted()).isTrue();
            }
            boolean acted = steps.acted();
            steps.watch();
            reopen(10);
            assertCounted();
            boolean settled = ledger.status().queueEvents() == 0;
            assertThat(ledger.status().complete()).as("step %d", step).isEqualTo(!settled);
            assertThat(pendingHeads()).isEqualTo(settled ? "0" : "1");
            settleAll();
            assertThat(ledger.status().receipts()).isOne();
            assertThat(ledger.status().complete()).isFalse();
            assertThat(pendingHeads()).isEqualTo("0");
            if (!acted) {
                assertThat(step).isGreaterThan(5);
                return;
            }
        }
    }

    @Test
    void a_record_that_calls_itself_complete_without_its_receipts_is_set_right_at_the_start() {
        reopen(10);
        mutate(revised(accepted(1), 2));
        settleAll();
        RawRows.in(ledger, "update ledger_state set complete = 1");
        reopen(10);
        assertThat(ledger.status().complete()).isFalse();
    }

    private String pendingHeads() {
        return RawRows.query(dir, "select count(*) from mutation_heads where pending = 1")
                .getFirst();
    }

    private void insertAsAnOlderRelease() throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + dir.resolve(LedgerFile.FILE_NAME));
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(
                    "insert into event_queue (project_id, uuid, revision, is_deleted, name, distinct_id, timestamp_us,"
                            + " received_at, bytes,"
                            + " properties)"
                            + " values"
                            + " (" + project + ", randomblob(16), 1, 0, 'n', 'd', 0, 0, 1, '{}')");
        }
    }

    private void assertCounted() {
        LedgerStatus counted = RawRows.counted(ledger);
        assertThat(counted.receipts()).isEqualTo(ledger.status().receipts());
        assertThat(counted.heads()).isEqualTo(ledger.status().heads());
        assertThat(counted.quarantined()).isEqualTo(ledger.status().quarantined());
    }

    private LocalTrace trace(long number) {
        return ledger.mutations().trace(event(project, number).identity());
    }

    private Event accepted(long number) {
        assertThat(kinds(Samples.accept(ledger, events(project, number, number + 1))))
                .containsExactly(Verdict.Kind.ACCEPTED);
        return event(project, number);
    }

    private Event mutate(Event revision) {
        LocalTrace trace = ledger.mutations().trace(revision.identity());
        assertThat(ledger.mutations().mutate(revision, trace, WAIT)).isEqualTo(new MutateResult.Written());
        return revision;
    }

    private void settleAll() {
        ledger.queue().settle(queued(ledger), Samples.SOURCE);
    }

    static Event revised(Event original, long revision) {
        return new Event(
                original.identity(),
                revision,
                false,
                original.name(),
                original.distinctId(),
                original.timestampMicros() + revision,
                original.receivedAtMillis(),
                json("{\"revision\":" + revision + "}"));
    }

    static Event tombstone(Event original, long revision) {
        return new Event(
                original.identity(),
                revision,
                true,
                "$deleted",
                "$deleted",
                0,
                original.receivedAtMillis(),
                json("{}"));
    }

    private static byte[] json(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void reopen(long limit) {
        ledger.close();
        open(limit);
    }

    private void open(long limit) {
        ledger = Ledger.open(new LedgerSettings(dir, 1_000_000, 1L << 30, limit), Samples.CLOCK, Samples.tuning(steps));
    }
}
