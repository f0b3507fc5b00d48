package dev.porcupine.ingest;

import java.time.Duration;

/**
 * What one capture request, and all of them together, may cost.
 *
 * @param wireBytesMax bytes of a body as sent
 * @param decodedBytesMax bytes that all layers of decoding of one body may produce together
 * @param eventBytesMax bytes of one event's JSON text; a larger one is rejected, its siblings are not
 * @param nestingMax containers inside one another in one event, the event's own object included
 * @param batchEventsMax events in one request: it is stored in one transaction, for which every other client waits
 * @param inFlightBytesMax bytes of bodies and events that all requests may hold together; beyond it they are refused as retryable
 * @param bodyDeadline from the request's head to the last byte of its body
 */
public record CaptureLimits(
        int wireBytesMax,
        int decodedBytesMax,
        int eventBytesMax,
        int nestingMax,
        int batchEventsMax,
        long inFlightBytesMax,
        Duration bodyDeadline) {

    private static final int MEBIBYTE = 1 << 20;
    private static final int WIRE_BYTES_MAX = 20 * MEBIBYTE;
    private static final int DECODED_BYTES_MAX = 100 * MEBIBYTE;

    /** serde's recursion limit, hence PostHog's. */
    private static final int NESTING_MAX = 128;

    /** A fifth of a second of the ledger's writer, and twenty probes once receipts are evicted: well within one answer's time. */
    private static final int BATCH_EVENTS_MAX = 10_000;

    /** Shorter than every SDK's own patience would allow a useful answer after it, see docs/reference/capture-api.md. */
    private static final Duration BODY_DEADLINE = Duration.ofSeconds(10);

    public CaptureLimits {
        atLeastOne("wireBytesMax", wireBytesMax);
        atLeastOne("decodedBytesMax", decodedBytesMax);
        atLeastOne("eventBytesMax", eventBytesMax);
        atLeastOne("nestingMax", nestingMax);
        atLeastOne("batchEventsMax", batchEventsMax);
        atLeastOne("inFlightBytesMax", inFlightBytesMax);
        atLeastOne("bodyDeadline in milliseconds", bodyDeadline.toMillis());
    }

    /**
     * The documented limits.
     *
     * @param heapBytesMax what the process has; a quarter of it may be in flight, or as much as one body of the largest size needs,
     *     but never more than half
     */
    public static CaptureLimits forHeap(long heapBytesMax) {
        long oneBody = WIRE_BYTES_MAX + 2L * DECODED_BYTES_MAX;
        long inFlight = Math.min(heapBytesMax / 2, Math.max(heapBytesMax / 4, oneBody));
        return new CaptureLimits(
                WIRE_BYTES_MAX,
                DECODED_BYTES_MAX,
                MEBIBYTE,
                NESTING_MAX,
                BATCH_EVENTS_MAX,
                Math.max(1, inFlight),
                BODY_DEADLINE);
    }

    private static void atLeastOne(String name, long value) {
        if (value < 1) {
            throw new IllegalArgumentException("capture limit " + name + " must be 1 or more, got " + value);
        }
    }
}
