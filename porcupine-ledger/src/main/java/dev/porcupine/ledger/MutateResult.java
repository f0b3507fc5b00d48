package dev.porcupine.ledger;

import dev.porcupine.schema.Problem;

/** What became of a mutation's final write. */
public sealed interface MutateResult {

    /** Head and queued revision are on disk. */
    record Written() implements MutateResult {}

    /** Nothing was stored: somebody else mutated the event since the trace. Look again. */
    record Moved() implements MutateResult {}

    /**
     * Nothing was stored, unless the detail says that it may be.
     *
     * @param detail for the client: counts and limits, no payload
     */
    record Refused(Problem problem, String detail) implements MutateResult {}
}
