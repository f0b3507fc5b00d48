package dev.porcupine.ledger;

/** The queue's two budgets (P8). */
final class QueueBudget {

    private QueueBudget() {}

    static boolean fits(LedgerSettings settings, LedgerState state, long events, long bytes) {
        return state.queueEvents() + events <= settings.queueEventsMax()
                && state.queueBytes() + bytes <= settings.queueBytesMax();
    }

    /**
     * What leaves the queue for the quarantine makes room for more of its kind, so the quarantine needs a bound too, or events that history
     * refuses would fill the disk. Its own events are never refused their place; new ones and new revisions are, while it is this full.
     */
    static boolean quarantineFull(LedgerSettings settings, LedgerState state) {
        return state.quarantined() >= settings.queueEventsMax();
    }

    static String explainQuarantine(LedgerSettings settings, LedgerState state) {
        return state.quarantined() + " events lie in quarantine, and new ones are refused from "
                + settings.queueEventsMax() + " on; their reasons stand at /api/v1/projects/{id}/quarantine";
    }

    static String explain(LedgerSettings settings, LedgerState state, long events, long bytes) {
        return "the queue holds " + state.queueEvents() + " of " + settings.queueEventsMax() + " events and "
                + state.queueBytes() + " of " + settings.queueBytesMax() + " bytes; " + events + " more with " + bytes
                + " bytes don't fit";
    }
}
