package dev.porcupine.ledger;

import static dev.porcupine.ledger.Samples.events;
import static dev.porcupine.ledger.Samples.queued;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
class ReconciliationTest {

    private static final long LIMIT = 10;

    private final StepScript steps = new StepScript();

    @Test
    void marks_move_the_cursor_and_evict_all_or_nothing_at_every_step(@TempDir Path dir) {
        for (int step = 0; ; step++) {
            Path own = dir.resolve("s" + step);
            unprovenLedger(own, 300);
            boolean acted;
            try (Ledger ledger = open(own)) {
                UnprovenReceipts first = ledger.reconciliation().next();
                assertThat(first.identities()).hasSize(256);
                steps.actAt(step, StepScript.fail());
                try {
                    ledger.reconciliation().settle(first, first.identities(), Samples.SOURCE);
                } catch (ProblemException e) {
                    assertThat(ledger.status().unprovenReceipts()).isIn(300L, 44L);
                }
                acted = steps.acted();
                steps.watch();
            }
            try (Ledger ledger = open(own)) {
                assertThat(RawRows.counted(ledger)).as("step %d", step).isEqualTo(ledger.status());
                assertThat(ledger.status().evictedReceipts())
                        .isEqualTo(ledger.status().unprovenReceipts() == 300 ? 0 : 256);
                proveAll(ledger);
                assertThat(ledger.status().receipts()).isEqualTo(LIMIT);
                assertThat(ledger.status().unprovenReceipts()).isZero();
            }
            if (!acted) {
                assertThat(step).isGreaterThan(5);
                return;
            }
        }
    }

    @Test
    void search_wraps_and_comes_back_to_those_that_history_does_not_hold(@TempDir Path dir) {
        unprovenLedger(dir, 5);
        try (Ledger ledger = open(dir)) {
            UnprovenReceipts all = ledger.reconciliation().next();
            assertThat(all.last()).isTrue();
            EventIdentity missing = all.identities().get(2);
            Set<EventIdentity> found = new HashSet<>(all.identities());
            found.remove(missing);
            assertThat(ledger.reconciliation().settle(all, found, Samples.SOURCE))
                    .isEqualTo(4);
            assertThat(ledger.reconciliation().next().identities()).containsExactly(missing);
            assertThat(ledger.reconciliation().settle(ledger.reconciliation().next(), List.of(), Samples.SOURCE))
                    .isZero();
            assertThat(ledger.reconciliation().next().identities()).containsExactly(missing);
            assertThat(ledger.status().unprovenReceipts()).isEqualTo(1);
        }
    }

    @Test
    void proving_twice_counts_once(@TempDir Path dir) {
        unprovenLedger(dir, 5);
        try (Ledger ledger = open(dir)) {
            UnprovenReceipts all = ledger.reconciliation().next();
            assertThat(ledger.reconciliation().settle(all, all.identities(), Samples.SOURCE))
                    .isEqualTo(5);
            assertThat(ledger.reconciliation().settle(all, all.identities(), Samples.SOURCE))
                    .isZero();
            assertThat(RawRows.counted(ledger)).isEqualTo(ledger.status());
        }
    }

    @Test
    void what_was_not_looked_up_is_not_proven(@TempDir Path dir) {
        unprovenLedger(dir, 5);
        try (Ledger ledger = open(dir)) {
            UnprovenReceipts none = new UnprovenReceipts(List.of(), null);
            List<EventIdentity> others = ledger.reconciliation().next().identities();
            assertThatThrownBy(() -> ledger.reconciliation().settle(none, others, Samples.SOURCE))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(ledger.status().unprovenReceipts()).isEqualTo(5);
        }
    }

    @Test
    void proven_old_receipts_are_evicted_before_those_that_were_settled_since(@TempDir Path dir) {
        unprovenLedger(dir, 8);
        try (Ledger ledger = open(dir)) {
            ProjectId project = ledger.projects().list().getFirst().id();
            Samples.accept(ledger, events(project, 1_000, 1_002));
            ledger.queue().settle(queued(ledger), Samples.SOURCE);
            proveAll(ledger);
            Samples.accept(ledger, events(project, 1_002, 1_007));
            ledger.queue().settle(queued(ledger), Samples.SOURCE);
            assertThat(ledger.status().receipts()).isEqualTo(LIMIT);
            assertThat(ledger.localRecord().look(events(project, 1_000, 1_007)).known())
                    .hasSize(7);
            assertThat(ledger.localRecord().look(events(project, 0, 8)).known()).hasSize(3);
        }
    }

    private static void proveAll(Ledger ledger) {
        while (ledger.status().unprovenReceipts() > 0) {
            UnprovenReceipts next = ledger.reconciliation().next();
            ledger.reconciliation().settle(next, next.identities(), Samples.SOURCE);
        }
        while (ledger.eviction().evict() > 0) {
            assertThat(ledger.status().receipts()).isPositive();
        }
    }

    /** Settled while there was no limit, so without a provenance. */
    private static void unprovenLedger(Path dir, int receipts) {
        try (Ledger ledger = Ledger.open(new LedgerSettings(dir, 1_000_000, 1L << 30), Samples.CLOCK)) {
            ProjectId project = ledger.projects().create("shop").project().id();
            Samples.accept(ledger, events(project, 0, receipts));
            ledger.queue().settle(queued(ledger), Samples.SOURCE);
            assertThat(ledger.status().unprovenReceipts()).isEqualTo(receipts);
        }
    }

    private Ledger open(Path dir) {
        return Ledger.open(new LedgerSettings(dir, 1_000_000, 1L << 30, LIMIT), Samples.CLOCK, Samples.tuning(steps));
    }
}
