package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** What mutations come to, and how long they take. */
final class MutationMetrics {

    enum Kind {
        PATCH,
        DELETE
    }

    enum Outcome {
        /** A new revision is on disk. */
        CHANGED,
        /** The event was deleted before. */
        REPEATED,
        NOT_FOUND,
        /** A patch of a deleted event. */
        DELETED,
        /** {@code If-Match} names another revision. */
        MISMATCH,
        /** Other mutations came first, time and again. */
        CONFLICT,
        /** Not understood, or too large. */
        INVALID,
        /** May succeed later: no queue space, no history, no ledger. */
        REFUSED,
        FAILED
    }

    private record Key(Kind kind, Outcome outcome) {}

    private final Map<Key, Timer> timers = new HashMap<>();

    MutationMetrics(MeterRegistry registry) {
        for (Kind kind : Kind.values()) {
            for (Outcome outcome : Outcome.values()) {
                timers.put(
                        new Key(kind, outcome),
                        Timer.builder("porcupine.mutation.duration")
                                .description("Mutations by kind and outcome, from the request's head to its answer")
                                .tag("kind", kind.name().toLowerCase(Locale.ROOT))
                                .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
                                .register(registry));
            }
        }
    }

    void ended(Kind kind, Outcome outcome, Duration took) {
        Timer timer = timers.get(new Key(kind, outcome));
        if (timer == null) {
            throw new IllegalStateException("no timer was registered for " + kind + " " + outcome);
        }
        timer.record(took);
    }

    static Outcome of(Problem problem) {
        return switch (problem.status()) {
            case 404 -> Outcome.NOT_FOUND;
            case 409 -> Outcome.CONFLICT;
            case 410 -> Outcome.DELETED;
            case 412 -> Outcome.MISMATCH;
            default -> problem.retryable() ? Outcome.REFUSED : Outcome.INVALID;
        };
    }
}
