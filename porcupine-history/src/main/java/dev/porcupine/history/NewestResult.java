package dev.porcupine.history;

import dev.porcupine.schema.Event;

/** What a lookup of one event's newest revision found: the fact, from the verified table, or none. */
public sealed interface NewestResult {

    /** It was the newest when the lookup began, or was written since; tombstones included. */
    record Found(Event newest) implements NewestResult {}

    /** No physical row holds the event. */
    record Absent() implements NewestResult {}

    /** Nothing is known of the event. */
    record Failed(ProbeFailure failure, String detail) implements NewestResult {}
}
