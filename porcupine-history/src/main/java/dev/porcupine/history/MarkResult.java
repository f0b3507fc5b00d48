package dev.porcupine.history;

/** What the store said of a mark. */
public sealed interface MarkResult {

    /** On disk at the store: events up to the mark's seq may be inserted. */
    record Acknowledged() implements MarkResult {}

    /** Anything else. The mark may or may not be there; nothing that it was to cover may be inserted. */
    record Unknown(String reason) implements MarkResult {}
}
