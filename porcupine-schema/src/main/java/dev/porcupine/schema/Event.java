package dev.porcupine.schema;

import java.util.Arrays;
import java.util.Objects;

/**
 * One revision of an event as the ledger queues it and history stores it.
 *
 * @param identity what it is deduplicated by
 * @param revision 1 for the original; mutations count up from there
 * @param deleted whether this revision is a tombstone
 * @param name the event's name, never empty
 * @param distinctId whose event it is, never blank
 * @param timestampMicros when it happened, microseconds since the epoch, UTC
 * @param receivedAtMillis when the original was received, milliseconds since the epoch, UTC; the same for every revision, because
 *     history partitions by it and a mutation must meet its original
 * @param properties a JSON object in UTF-8 as the client wrote it: number text, key order and all. Not copied; do not change it
 */
@SuppressWarnings(
        "ArrayRecordComponent") // equality is by content below; a copy per access would double the capture path's
// garbage
public record Event(
        EventIdentity identity,
        long revision,
        boolean deleted,
        String name,
        String distinctId,
        long timestampMicros,
        long receivedAtMillis,
        byte[] properties) {

    /** The revision of every original. */
    public static final long ORIGINAL_REVISION = 1;

    public Event {
        if (revision < ORIGINAL_REVISION) {
            throw new IllegalArgumentException("a revision is 1 or more, got " + revision);
        }
    }

    public static Event original(
            EventIdentity identity,
            String name,
            String distinctId,
            long timestampMicros,
            long receivedAtMillis,
            byte[] properties) {
        return new Event(
                identity, ORIGINAL_REVISION, false, name, distinctId, timestampMicros, receivedAtMillis, properties);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Event that
                && identity.equals(that.identity)
                && revision == that.revision
                && deleted == that.deleted
                && name.equals(that.name)
                && distinctId.equals(that.distinctId)
                && timestampMicros == that.timestampMicros
                && receivedAtMillis == that.receivedAtMillis
                && Arrays.equals(properties, that.properties);
    }

    @Override
    public int hashCode() {
        return Objects.hash(identity, revision);
    }

    /** Without the payload: this text reaches logs. */
    @Override
    public String toString() {
        return "Event[" + identity + " revision " + revision + (deleted ? " tombstone" : "") + ", " + properties.length
                + " bytes of properties]";
    }
}
