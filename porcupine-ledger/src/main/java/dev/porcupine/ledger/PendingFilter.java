package dev.porcupine.ledger;

import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import org.jspecify.annotations.Nullable;

/**
 * Which pending mutations a page of a listing shows.
 *
 * @param name exact event name, or any
 * @param distinctId exact distinct_id, or any
 * @param fromMicros timestamps from here on, inclusive
 * @param toMicros timestamps before this, exclusive
 * @param afterMicros timestamp of the last event of the page before, or the first page; together with {@code afterUuid}
 * @param eventsMax how many events to read
 * @param bytesMax bytes of properties after which no more are read
 */
public record PendingFilter(
        ProjectId project,
        @Nullable String name,
        @Nullable String distinctId,
        @Nullable Long fromMicros,
        @Nullable Long toMicros,
        @Nullable Long afterMicros,
        @Nullable EventUuid afterUuid,
        int eventsMax,
        long bytesMax) {

    public PendingFilter {
        if ((afterMicros == null) != (afterUuid == null)) {
            throw new IllegalArgumentException("a place in a listing is a timestamp and a uuid");
        }
        if (eventsMax < 1) {
            throw new IllegalArgumentException("at least one event, got " + eventsMax);
        }
    }
}
