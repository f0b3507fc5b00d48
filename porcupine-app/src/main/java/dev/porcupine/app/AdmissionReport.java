package dev.porcupine.app;

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
        return of(ledger.writable(), ledger.status(), SourceState.of(source.current()));
    }

    static AdmissionReport of(boolean ledgerWritable, LedgerStatus ledger, SourceState source) {
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
        // While every receipt is in the ledger, nobody needs to ask history (P14).
        if (!ledger.complete()) {
            source.findings().forEach(finding -> reasons.add("source_unverified: " + finding.code()));
        }
        return new AdmissionReport(reasons.isEmpty(), List.copyOf(reasons));
    }
}
