package dev.porcupine.ingest;

/** What a mutation does to an event. */
sealed interface Change {

    /**
     * @param cost of this mutation alone
     */
    record Patch(EventPatch patch, PatchCost cost) implements Change {}

    record Delete() implements Change {}
}
