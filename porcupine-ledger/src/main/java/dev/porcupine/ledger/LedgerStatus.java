package dev.porcupine.ledger;

/** Rows in the ledger as of the last commit. */
public record LedgerStatus(
        long receipts,
        long receiptLimit,
        long unprovenReceipts,
        long evictedReceipts,
        boolean complete,
        long queueEvents,
        long queueBytes,
        long queueEventsMax,
        long queueBytesMax,
        long quarantined,
        long heads,
        int leases) {

    /** Whether new events are refused until receipts can be evicted (P34); counts committed receipts. */
    public boolean overLimit() {
        return receiptLimit > 0 && receipts > receiptLimit;
    }
}
