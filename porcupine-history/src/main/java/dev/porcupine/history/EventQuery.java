package dev.porcupine.history;

import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import org.jspecify.annotations.Nullable;

/**
 * @param name exact event name, or any
 * @param distinctId exact distinct_id, or any
 * @param fromMicros timestamps from here on, inclusive
 * @param toMicros timestamps before this, exclusive
 * @param after the last event of the page before, or the first page
 * @param limit 1 to {@value #LIMIT_MAX}
 */
public record EventQuery(
        ProjectId project,
        @Nullable String name,
        @Nullable String distinctId,
        @Nullable Long fromMicros,
        @Nullable Long toMicros,
        @Nullable Position after,
        int limit) {

    /** Events of one page. */
    public static final int LIMIT_MAX = 1000;

    public EventQuery {
        if (limit < 1 || limit > LIMIT_MAX) {
            throw new IllegalArgumentException("a page has 1 to " + LIMIT_MAX + " events, got " + limit);
        }
    }

    /** Where a page ended. */
    public record Position(long timestampMicros, EventUuid uuid) {}
}
