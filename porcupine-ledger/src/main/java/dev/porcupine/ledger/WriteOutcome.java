package dev.porcupine.ledger;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;

/** What the writer answers to a task. */
sealed interface WriteOutcome<T> {

    /** On disk. */
    record Committed<T>(T value) implements WriteOutcome<T> {}

    /** Not stored, or (only {@code LEDGER_UNAVAILABLE}) not known whether it is. */
    record Refused<T>(Problem problem, String detail) implements WriteOutcome<T> {}

    /** For callers whose refusals are exceptions. */
    default T orThrow() {
        return switch (this) {
            case Committed<T> committed -> committed.value();
            case Refused<T> refused -> throw new ProblemException(refused.problem(), refused.detail());
        };
    }
}
