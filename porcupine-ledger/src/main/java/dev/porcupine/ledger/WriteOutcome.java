package dev.porcupine.ledger;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;

/** What the writer answers to a task. */
sealed interface WriteOutcome<T> {

    /** On disk. */
    record Committed<T>(T value) implements WriteOutcome<T> {}

    /** Not stored, or (only {@code LEDGER_UNAVAILABLE}) not known whether it is. */
    record Refused<T>(Problem problem, String detail) implements WriteOutcome<T> {}

    /** Made before it is needed: it answers where nothing may be allocated any more. */
    Refused<Object> UNKNOWN = new Refused<>(
            Problem.LEDGER_UNAVAILABLE,
            "the ledger failed before its answer; whether this is stored is not known, send it again");

    /** The refusal that claims nothing. */
    @SuppressWarnings("unchecked") // a refusal holds no value
    static <T> WriteOutcome<T> unknown() {
        return (WriteOutcome<T>) (WriteOutcome<?>) UNKNOWN;
    }

    /** For callers whose refusals are exceptions. */
    default T orThrow() {
        return switch (this) {
            case Committed<T> committed -> committed.value();
            case Refused<T> refused -> throw new ProblemException(refused.problem(), refused.detail());
        };
    }
}
