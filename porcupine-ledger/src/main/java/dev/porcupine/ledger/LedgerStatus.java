package dev.porcupine.ledger;

/** Rows in the ledger as of the last commit. */
public record LedgerStatus(
        long receipts,
        long unprovenReceipts,
        long evictedReceipts,
        boolean complete,
        long queueEvents,
        long queueBytes,
        long queueEventsMax,
        long queueBytesMax,
        long quarantined,
        long heads) {}
