package dev.porcupine.ingest;

import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * An event that was not taken, for an operator to find the client that sent it.
 *
 * @param reason a stable code
 * @param index the event's place in its request, from 0
 * @param sample the beginning of the event's JSON text
 */
record Rejection(String reason, int index, String sample, Instant rejectedAt) {

    static final int SAMPLE_CHARS_MAX = 200;

    /** A character takes at most four bytes; a cut one at the end falls away with what is above the limit. */
    private static final int SAMPLE_BYTES_MAX = 4 * SAMPLE_CHARS_MAX + 3;

    static Rejection of(Batch.RejectedItem item, byte[] text, Instant now) {
        int length = Math.min(item.to() - item.from(), SAMPLE_BYTES_MAX);
        String sample = new String(text, item.from(), length, StandardCharsets.UTF_8);
        return new Rejection(item.reason().code(), item.index(), cut(sample), now);
    }

    static String cut(String text) {
        if (text.length() <= SAMPLE_CHARS_MAX) {
            return text;
        }
        boolean splits = Character.isHighSurrogate(text.charAt(SAMPLE_CHARS_MAX - 1));
        return text.substring(0, splits ? SAMPLE_CHARS_MAX - 1 : SAMPLE_CHARS_MAX);
    }
}
