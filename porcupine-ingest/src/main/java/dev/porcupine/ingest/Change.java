package dev.porcupine.ingest;

/** What a mutation does to an event. */
sealed interface Change {

    record Patch(EventPatch patch) implements Change {}

    record Delete() implements Change {}
}
