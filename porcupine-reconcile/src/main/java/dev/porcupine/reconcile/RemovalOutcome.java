package dev.porcupine.reconcile;

import java.time.Duration;

/** What one pass over the removals came to. */
sealed interface RemovalOutcome {

    /** No project is being removed. */
    record Idle() implements RemovalOutcome {}

    /** Something was done, and more can be at once. */
    record Progressed() implements RemovalOutcome {}

    /**
     * Nothing is wrong; something else has to end first.
     *
     * @param atLeast how long that takes
     */
    record Waiting(Duration atLeast, String why) implements RemovalOutcome {}

    /** History or the ledger did not do what was asked; the removal is as it was. */
    record Stalled(String reason) implements RemovalOutcome {}
}
