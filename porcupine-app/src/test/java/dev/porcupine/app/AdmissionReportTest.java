package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.Finding;
import dev.porcupine.ledger.LedgerStatus;
import java.util.List;
import org.junit.jupiter.api.Test;

class AdmissionReportTest {

    private static final SourceState REFUSED =
            new SourceState(null, List.of(new Finding("unreachable", "no answer")), List.of());
    private static final SourceState VERIFIED = new SourceState(null, List.of(), List.of());

    @Test
    void a_queue_one_below_its_budget_is_open() {
        assertThat(AdmissionReport.of(true, status(9, 99, true), VERIFIED, List.of(), false)
                        .open())
                .isTrue();
    }

    @Test
    void a_queue_at_either_budget_is_closed_and_says_which() {
        assertThat(AdmissionReport.of(true, status(10, 0, true), VERIFIED, List.of(), false)
                        .reasons())
                .containsExactly("queue_full: 10 of 10 events");
        assertThat(AdmissionReport.of(true, status(0, 100, true), VERIFIED, List.of(), false)
                        .reasons())
                .containsExactly("queue_full: 100 of 100 bytes");
    }

    @Test
    void a_full_quarantine_closes() {
        assertThat(AdmissionReport.of(
                                true,
                                new LedgerStatus(0, 0, 0, 0, true, 0, 0, 10, 100, 10, 0, 0),
                                VERIFIED,
                                List.of(),
                                false)
                        .reasons())
                .containsExactly("queue_full: 10 events in quarantine, as many as the queue may have");
    }

    @Test
    void a_ledger_that_failed_to_write_is_closed() {
        assertThat(AdmissionReport.of(false, status(0, 0, true), VERIFIED, List.of(), false)
                        .reasons())
                .containsExactly("ledger_unavailable: the last write did not reach the disk");
    }

    @Test
    void a_complete_ledger_needs_no_history() {
        assertThat(AdmissionReport.of(true, status(0, 0, true), REFUSED, List.of(), false)
                        .open())
                .isTrue();
    }

    @Test
    void what_history_has_proven_closes_a_complete_ledger_whatever_the_last_look_found() {
        List<Finding> barriers = List.of(new Finding("ledger_stale", "an older copy"));
        assertThat(AdmissionReport.of(true, status(0, 0, true), REFUSED, barriers, false)
                        .reasons())
                .containsExactly("ledger_forked: ledger_stale");
    }

    @Test
    void a_complete_ledger_that_relies_on_an_unseen_history_is_closed() {
        assertThat(AdmissionReport.of(true, status(0, 0, true), REFUSED, List.of(), true)
                        .reasons())
                .containsExactly("source_unverified: unreachable");
    }

    @Test
    void an_incomplete_ledger_needs_a_verified_history() {
        assertThat(AdmissionReport.of(true, status(0, 0, false), REFUSED, List.of(), false)
                        .reasons())
                .containsExactly("source_unverified: unreachable");
        assertThat(AdmissionReport.of(true, status(0, 0, false), REFUSED, List.of(), false)
                        .open())
                .isFalse();
    }

    private static LedgerStatus status(long queueEvents, long queueBytes, boolean complete) {
        return new LedgerStatus(0, 0, 0, 0, complete, queueEvents, queueBytes, 10, 100, 0, 0, 0);
    }
}
