package dev.porcupine.ledger;

/** The queue's two budgets (P8). */
final class QueueBudget {

    private QueueBudget() {}

    static boolean fits(LedgerSettings settings, LedgerState state, long events, long bytes) {
        return state.queueEvents() + events <= settings.queueEventsMax()
                && state.queueBytes() + bytes <= settings.queueBytesMax();
    }

    static String explain(LedgerSettings settings, LedgerState state, long events, long bytes) {
        return "the queue holds " + state.queueEvents() + " of " + settings.queueEventsMax() + " events and "
                + state.queueBytes() + " of " + settings.queueBytesMax() + " bytes; " + events + " more with " + bytes
                + " bytes don't fit";
    }
}
