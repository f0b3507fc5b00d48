package dev.porcupine.reconcile;

/** What one reconcile pass came to. */
sealed interface ReconcileOutcome {

    /** Every receipt has a provenance, or needs none. */
    record Idle() implements ReconcileOutcome {}

    /**
     * A stretch of the ledger was looked at.
     *
     * @param proven receipts that history holds and that are marked now
     * @param missing receipts that it does not hold, or of which it would not say
     */
    record Looked(int proven, int missing) implements ReconcileOutcome {}

    /**
     * The stretch was the ledger's last: a round is complete.
     *
     * @param proven in the whole round
     * @param missing in the whole round, with those of which history would not say
     */
    record RoundDone(long proven, long missing) implements ReconcileOutcome {}

    /** History or the ledger did not answer; nothing was marked. */
    record Stalled(String reason) implements ReconcileOutcome {}
}
