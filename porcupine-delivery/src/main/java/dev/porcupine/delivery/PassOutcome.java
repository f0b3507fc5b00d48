package dev.porcupine.delivery;

import org.jspecify.annotations.Nullable;

/** What one delivery pass came to. */
sealed interface PassOutcome {

    /** The queue is empty. */
    record Idle() implements PassOutcome {}

    /**
     * Events left the queue.
     *
     * @param fullBatchWaits whether the queue still holds enough for a full batch
     */
    record Progressed(int delivered, int quarantined, boolean fullBatchWaits) implements PassOutcome {}

    /**
     * Events stay in the queue and are tried again after a pause.
     *
     * @param reason for the log: no payload, no password
     * @param error what was thrown, where that says more than the reason
     */
    record Stalled(Cause cause, String reason, @Nullable RuntimeException error) implements PassOutcome {}

    /** Why a pass left events behind; the tag of the stall counter. */
    enum Cause {
        SOURCE_REFUSED("history can't be reached or isn't safe to write to"),
        HISTORY_UNCLEAR("history gave no clear acknowledgement"),
        ROWS_REFUSED("history refuses every row it is offered, so the table is suspected rather than the rows"),
        LEDGER_UNAVAILABLE("the ledger can't record what was delivered"),
        UNEXPECTED("delivery failed in a way it does not know");

        private final String meaning;

        Cause(String meaning) {
            this.meaning = meaning;
        }

        String meaning() {
            return meaning;
        }
    }
}
