package dev.porcupine.ingest;

import java.util.List;
import java.util.Map;

/**
 * A decoded body's events.
 *
 * @param token what the request says about its project
 * @param text the body that the drafts' places are places in
 * @param drafts the valid events in the body's order
 * @param rejected the first of the others
 * @param rejectedByReason how many others there are, by reason
 * @param filteredCount events that are dropped silently, as PostHog drops them
 * @param sentMicros when the envelope says it was sent, or {@link TimestampText#UNREADABLE}
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Batch(
        TokenRule token,
        byte[] text,
        List<EventDraft> drafts,
        List<RejectedItem> rejected,
        Map<RejectReason, Integer> rejectedByReason,
        int filteredCount,
        long sentMicros) {

    int rejectedCount() {
        int count = 0;
        for (int some : rejectedByReason.values()) {
            count += some;
        }
        return count;
    }

    int size() {
        return drafts.size() + rejectedCount() + filteredCount;
    }

    /**
     * @param index its place in the body, from 0
     * @param from where its JSON text begins in the body
     */
    record RejectedItem(int index, RejectReason reason, int from, int to) {}
}
