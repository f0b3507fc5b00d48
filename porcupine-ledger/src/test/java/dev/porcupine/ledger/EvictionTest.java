package dev.porcupine.ledger;

import static dev.porcupine.ledger.Samples.events;
import static dev.porcupine.ledger.Samples.kinds;
import static dev.porcupine.ledger.Samples.queued;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.porcupine.ledger.StepScript.Gate;
import dev.porcupine.ledger.Verdict.Kind;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.schema.SourceIdentity;
import dev.porcupine.testkit.ManualTicker;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(240)
class EvictionTest {

    private static final AbsenceProof COMPLETE = new AbsenceProof.CompleteRecord();
    private static final Duration WAIT = Duration.ofSeconds(10);

    private final ManualTicker ticker = new ManualTicker();
    private final StepScript steps = new StepScript();

    private Path dir;
    private Ledger ledger;
    private ProjectId project = new ProjectId(1);

    @BeforeEach
    void begin(@TempDir Path temporary) {
        dir = temporary;
        open(10);
        project = ledger.projects().create("shop").project().id();
    }

    @AfterEach
    void end() {
        ledger.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 9, 10, 11, 255, 256, 257, 600})
    void receipts_stay_at_the_limit_and_the_oldest_go_first(int count) {
        acceptAndSettle(0, count);
        int kept = Math.min(count, 10);
        assertThat(ledger.status().receipts()).isEqualTo(kept);
        assertThat(ledger.status().evictedReceipts()).isEqualTo(count - kept);
        assertThat(ledger.localRecord().complete()).isEqualTo(count <= 10);
        assertThat(ledger.localRecord()
                        .look(events(project, count - kept, count))
                        .known())
                .hasSize(kept);
        assertThat(ledger.localRecord().look(events(project, 0, count - kept)).known())
                .isEmpty();
        assertThat(RawRows.counted(ledger)).isEqualTo(ledger.status());
    }

    @Test
    void no_transaction_evicts_more_than_256() {
        reopen(1_000);
        acceptAndSettle(0, 1_000);
        reopen(10);
        assertThat(ledger.eviction().evict()).isEqualTo(256);
        assertThat(ledger.eviction().evict()).isEqualTo(256);
        assertThat(ledger.eviction().evict()).isEqualTo(256);
        assertThat(ledger.eviction().evict()).isEqualTo(222);
        assertThat(ledger.eviction().evict()).isZero();
        assertThat(ledger.status().receipts()).isEqualTo(10);
    }

    @Test
    void unproven_receipts_are_never_evicted() {
        reopen(0);
        acceptAndSettle(0, 50);
        reopen(10);
        assertThat(ledger.status().overLimit()).isTrue();
        assertThat(ledger.eviction().evict()).isZero();
        assertThat(ledger.status().receipts()).isEqualTo(50);
        assertThat(ledger.localRecord().complete()).isTrue();
        assertThat(ledger.pin().pinned()).isEmpty();
    }

    @Test
    void leased_receipt_is_stepped_over_until_the_lease_is_closed() {
        acceptAndSettle(0, 10);
        LookupLease lease = lease(0, 2);
        acceptAndSettle(10, 15);
        assertThat(ledger.localRecord().look(events(project, 0, 2)).known()).hasSize(2);
        assertThat(ledger.localRecord().look(events(project, 2, 7)).known()).isEmpty();
        lease.close();
        acceptAndSettle(15, 17);
        assertThat(ledger.localRecord().look(events(project, 0, 2)).known()).isEmpty();
    }

    @Test
    void dead_lease_protects_nothing() {
        acceptAndSettle(0, 10);
        LookupLease lease = lease(0, 10);
        ticker.advance(Duration.ofSeconds(30));
        acceptAndSettle(10, 20);
        assertThat(ledger.localRecord().look(events(project, 0, 10)).known()).isEmpty();
        lease.close();
    }

    @Test
    void everything_leased_leaves_the_ledger_over_its_limit_until_it_is_released() {
        acceptAndSettle(0, 10);
        LookupLease lease = lease(0, 15);
        acceptAndSettle(10, 15);
        assertThat(ledger.status().receipts()).isEqualTo(15);
        assertThat(ledger.status().overLimit()).isTrue();
        lease.close();
        assertThat(ledger.eviction().evict()).isEqualTo(5);
        assertThat(ledger.status().overLimit()).isFalse();
    }

    @Test
    void lease_taken_while_an_eviction_is_under_way_still_finds_the_event_in_the_record() {
        acceptAndSettle(0, 10);
        Samples.accept(ledger, events(project, 10, 20));
        Gate gate = new Gate();
        List<QueuedEvent> next = queued(ledger);
        steps.actAt(WriteStep.COMMIT, gate);
        CompletableFuture<Void> settling =
                CompletableFuture.runAsync(() -> ledger.queue().settle(next, Samples.SOURCE));
        gate.awaitReached();
        // The eviction has chosen and deleted the first ten; nobody else sees that yet.
        try (LookupLease lease = lease(0, 10)) {
            assertThat(ledger.localRecord().look(events(project, 0, 10)).known())
                    .hasSize(10);
            gate.open();
            settling.join();
            assertThat(lease.alive()).isTrue();
        }
        assertThat(ledger.localRecord().look(events(project, 0, 10)).known()).isEmpty();
    }

    @Test
    void local_proof_is_void_after_the_first_eviction() {
        acceptAndSettle(0, 11);
        assertThat(ledger.acceptance().accept(events(project, 11, 12), COMPLETE, WAIT))
                .isEqualTo(new AcceptResult.ProofVoid(AcceptResult.ProofVoid.Reason.RECORD_INCOMPLETE));
        assertThat(ledger.status().queueEvents()).isZero();
        assertThat(kinds(ledger.acceptance().accept(events(project, 10, 11), COMPLETE, WAIT)))
                .containsExactly(Kind.KNOWN_BY_RECEIPT);
    }

    @Test
    void proof_by_history_covers_what_was_asked_and_nothing_else() {
        acceptAndSettle(0, 11);
        try (LookupLease lease = lease(20, 22)) {
            AbsenceProof proof = new AbsenceProof.HistoryAsked(lease, uuids(20, 21));
            assertThat(ledger.acceptance().accept(events(project, 20, 22), proof, WAIT))
                    .isEqualTo(new AcceptResult.ProofVoid(AcceptResult.ProofVoid.Reason.NOT_COVERED));
            assertThat(ledger.status().queueEvents()).isZero();
            ProjectId other = ledger.projects().create("other").project().id();
            assertThat(ledger.acceptance().accept(events(other, 20, 21), proof, WAIT))
                    .isInstanceOf(AcceptResult.ProofVoid.class);
            assertThat(kinds(ledger.acceptance().accept(events(project, 20, 21), proof, WAIT)))
                    .containsExactly(Kind.ACCEPTED);
            assertThatThrownBy(() -> new AbsenceProof.HistoryAsked(lease, uuids(22, 23)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void proof_under_a_lease_that_is_dead_or_closed_is_void() {
        acceptAndSettle(0, 11);
        LookupLease dead = lease(20, 21);
        ticker.advance(Duration.ofSeconds(30));
        assertVoid(dead);
        dead.close();
        LookupLease closed = lease(20, 21);
        closed.close();
        assertVoid(closed);
        LookupLease alive = lease(20, 21);
        ticker.advance(Duration.ofMillis(29_999));
        assertThat(kinds(ledger.acceptance()
                        .accept(events(project, 20, 21), new AbsenceProof.HistoryAsked(alive, uuids(20, 21)), WAIT)))
                .containsExactly(Kind.ACCEPTED);
        alive.close();
    }

    @Test
    void first_provenance_pins_the_source_and_another_source_settles_nothing() {
        acceptAndSettle(0, 1);
        assertThat(ledger.pin().pinned()).contains(Samples.SOURCE);
        Samples.accept(ledger, events(project, 1, 2));
        for (SourceIdentity other : List.of(
                new SourceIdentity(UUID.randomUUID(), Samples.SOURCE.fingerprint()),
                new SourceIdentity(Samples.SOURCE.tableUuid(), "another"))) {
            assertThat(ledger.pin().trusts(other)).isFalse();
            assertThatThrownBy(() -> ledger.queue().settle(queued(ledger), other))
                    .isInstanceOfSatisfying(
                            ProblemException.class, e -> assertThat(e.problem()).isEqualTo(Problem.SOURCE_CHANGED));
        }
        assertThat(ledger.status().queueEvents()).isEqualTo(1);
        reopen(0);
        assertThat(ledger.pin().pinned()).contains(Samples.SOURCE);
        assertThatThrownBy(
                        () -> ledger.queue().settle(queued(ledger), new SourceIdentity(UUID.randomUUID(), "another")))
                .isInstanceOf(ProblemException.class);
    }

    @Test
    void without_a_limit_nothing_is_pinned_and_no_receipt_has_a_provenance() {
        reopen(0);
        acceptAndSettle(0, 300);
        assertThat(ledger.pin().pinned()).isEmpty();
        assertThat(ledger.status().unprovenReceipts()).isEqualTo(300);
    }

    @Test
    void counters_and_completeness_survive_a_failure_at_every_step_of_settle_and_evict() {
        for (int step = 0; ; step++) {
            ledger.close();
            dir = dir.resolve("n");
            open(10);
            project = ledger.projects().create("shop").project().id();
            acceptAndSettle(0, 8);
            Samples.accept(ledger, events(project, 8, 20));
            List<QueuedEvent> queued = queued(ledger);
            steps.actAt(step, StepScript.fail());
            boolean failed = false;
            try {
                ledger.queue().settle(queued, Samples.SOURCE);
            } catch (ProblemException e) {
                failed = true;
            }
            boolean acted = steps.acted();
            steps.watch();
            reopen(10);
            assertThat(RawRows.counted(ledger)).as("step %d", step).isEqualTo(ledger.status());
            assertThat(ledger.localRecord().complete())
                    .isEqualTo(ledger.status().evictedReceipts() == 0);
            ledger.queue().settle(queued, Samples.SOURCE);
            assertThat(ledger.status().receipts()).isEqualTo(10);
            assertThat(ledger.status().evictedReceipts()).isEqualTo(10);
            if (!acted) {
                assertThat(failed).isFalse();
                assertThat(step).isGreaterThan(5);
                return;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "insert into event_queue (%1$s) values (%2$s)",
                "insert or replace into event_queue (%1$s) values (%2$s)",
                "insert or ignore into event_queue (%1$s) values (%2$s)",
                "insert into event_queue (%1$s) values (%2$s) on conflict (project_id, uuid, revision) do update set bytes = 1",
                "insert into event_queue (%1$s) values (%2$s) on conflict do nothing",
                "insert into event_queue (%1$s) select %2$s",
                "replace into event_queue (%1$s) values (%2$s)"
            })
    void old_releases_insert_is_refused_from_the_first_eviction_on(String form) throws SQLException {
        String sql = form.formatted(
                "project_id, uuid, revision, is_deleted, name, distinct_id, timestamp_us, received_at, bytes, properties",
                project.value() + ", randomblob(16), 1, 0, 'n', 'd', 0, 0, 1, '{}'");
        acceptAndSettle(0, 10);
        raw(sql);
        acceptAndSettle(10, 11);
        assertThatThrownBy(() -> raw(sql))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("receipt-aware release");
    }

    private void raw(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + dir.resolve(LedgerFile.FILE_NAME));
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    private void assertVoid(LookupLease lease) {
        assertThat(ledger.acceptance()
                        .accept(events(project, 20, 21), new AbsenceProof.HistoryAsked(lease, uuids(20, 21)), WAIT))
                .isEqualTo(new AcceptResult.ProofVoid(AcceptResult.ProofVoid.Reason.LEASE_EXPIRED));
    }

    private void acceptAndSettle(int from, int to) {
        List<Event> batch = events(project, from, to);
        if (ledger.localRecord().complete()) {
            assertThat(kinds(ledger.acceptance().accept(batch, COMPLETE, WAIT))).containsOnly(Kind.ACCEPTED);
        } else {
            try (LookupLease lease = lease(from, to)) {
                assertThat(kinds(ledger.acceptance()
                                .accept(batch, new AbsenceProof.HistoryAsked(lease, uuids(from, to)), WAIT)))
                        .containsOnly(Kind.ACCEPTED);
            }
        }
        ledger.queue().settle(queued(ledger), Samples.SOURCE);
    }

    private LookupLease lease(int from, int to) {
        return ledger.localRecord().lease(project, uuids(from, to)).orElseThrow();
    }

    private Set<EventUuid> uuids(int from, int to) {
        return events(project, from, to).stream()
                .map(event -> event.identity().uuid())
                .collect(Collectors.toSet());
    }

    private void reopen(long limit) {
        ledger.close();
        open(limit);
    }

    private void open(long limit) {
        ledger = Ledger.open(
                new LedgerSettings(dir, 1_000_000, 1L << 30, limit),
                Samples.CLOCK,
                new LedgerTuning(Samples.limits(), steps, Duration.ofSeconds(5), Duration.ofSeconds(5), ticker));
    }
}
