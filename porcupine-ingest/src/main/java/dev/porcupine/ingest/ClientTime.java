package dev.porcupine.ingest;

/**
 * What a client says about when its event happened, before it is known when the request was sent.
 *
 * @param writtenMicros the timestamp as {@link TimestampText} read it
 * @param from where the timestamp's JSON text begins
 * @param to where it ends; the same when there is none
 * @param numeric whether the timestamp is a JSON number
 * @param hasOffset whether {@code offsetMillis} says when it happened, which old posthog-js does; it wins over the timestamp
 * @param offsetMillis how long before the request's arrival
 * @param corrects whether the client wants its clock corrected
 */
record ClientTime(
        long writtenMicros, int from, int to, boolean numeric, boolean hasOffset, long offsetMillis, boolean corrects) {

    private static final long FUTURE_MICROS_MAX = 23L * 3600 * 1_000_000;

    /**
     * Corrects the client's clock by how far it was off when it sent the request; what can't be true becomes the time of receipt.
     *
     * @param sentMicros {@link TimestampText#UNREADABLE} when the client does not say
     */
    EventTime resolve(long sentMicros, long nowMicros) {
        if (hasOffset) {
            long micros = nowMicros - offsetMillis * 1000;
            return new EventTime(micros - nowMicros > FUTURE_MICROS_MAX ? nowMicros : micros, true);
        }
        if (from == to) {
            return new EventTime(nowMicros, true);
        }
        if (writtenMicros == TimestampText.UNREADABLE) {
            return new EventTime(nowMicros, false);
        }
        if (writtenMicros == TimestampText.OUT_OF_BOUNDS) {
            return new EventTime(0, false);
        }
        boolean sentKnown = sentMicros != TimestampText.UNREADABLE && sentMicros != TimestampText.OUT_OF_BOUNDS;
        long micros = corrects && sentKnown ? writtenMicros + (nowMicros - sentMicros) : writtenMicros;
        return micros - nowMicros > FUTURE_MICROS_MAX
                ? new EventTime(nowMicros, false)
                : new EventTime(micros, !numeric);
    }
}
