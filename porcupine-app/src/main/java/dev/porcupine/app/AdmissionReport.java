package dev.porcupine.app;

import dev.porcupine.history.Finding;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LedgerStatus;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether a capture of a new event can succeed now, for operators and load balancers. A report only: the ledger decides.
 *
 * @param reasons why not; empty when open
 */
record AdmissionReport(boolean open, List<String> reasons) {

    static AdmissionReport of(Ledger ledger, SourceWatch source) {
        SourceState state = SourceState.of(source.current());
        boolean unseen = ledger.pin().pinned().isPresent() && !source.verifiedOnce();
        return of(ledger.writable(), ledger.status(), state, source.barriers(), unseen);
    }

    /**
     * @param barriers that history has proven against this ledger, in whatever state it is
     * @param unseen whether the ledger relies on a history that was not found sound since the start
     */
    static AdmissionReport of(
            boolean ledgerWritable, LedgerStatus ledger, SourceState source, List<Finding> barriers, boolean unseen) {
        List<String> reasons = new ArrayList<>();
        if (!ledgerWritable) {
            reasons.add("ledger_unavailable: the last write did not reach the disk");
        }
        if (ledger.queueEvents() >= ledger.queueEventsMax()) {
            reasons.add("queue_full: " + ledger.queueEvents() + " of " + ledger.queueEventsMax() + " events");
        }
        if (ledger.queueBytes() >= ledger.queueBytesMax()) {
            reasons.add("queue_full: " + ledger.queueBytes() + " of " + ledger.queueBytesMax() + " bytes");
        }
        if (ledger.quarantined() >= ledger.queueEventsMax()) {
            reasons.add("queue_full: " + ledger.quarantined() + " events in quarantine, as many as the queue may have");
        }
        if (ledger.overLimit()) {
            reasons.add("ledger_over_limit: " + ledger.receipts() + " receipts, limit " + ledger.receiptLimit());
        }
        barriers.forEach(finding -> reasons.add("ledger_forked: " + finding.code()));
        // While every receipt is in the ledger, nobody needs to ask history (P14).
        if (!ledger.complete() || unseen) {
            source.findings().forEach(finding -> reasons.add("source_unverified: " + finding.code()));
        }
        return new AdmissionReport(reasons.isEmpty(), List.copyOf(reasons));
    }
}
