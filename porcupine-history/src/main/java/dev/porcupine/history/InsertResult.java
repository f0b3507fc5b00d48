package dev.porcupine.history;

/** What the store said of an insert. */
public sealed interface InsertResult {

    /** On disk at the store: the only answer after which a payload may leave the queue (P9). */
    record Acknowledged() implements InsertResult {}

    /** The store refused the rows for their own sake, and stored none that counts; smaller batches tell which. */
    record RowsRefused(String reason) implements InsertResult {}

    /** Anything else. The rows may or may not be there; insert them again later. */
    record Unknown(String reason) implements InsertResult {}
}
