package dev.porcupine.query;

import dev.porcupine.history.HistoryReadException;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadFullException;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The places for interactive reads (P56): so many at once, a bounded wait for one, then refusal. A slot is held until the answer is
 * written, because until then its page is in memory.
 */
final class QuerySlots {

    /** The reads that are told apart in metrics. */
    enum Read {
        COUNT,
        PAGE,
        EVENT
    }

    private enum Outcome {
        ANSWERED,
        OVERLOADED,
        HISTORY_UNAVAILABLE,
        LIMIT,
        REFUSED,
        FAILED
    }

    private record Key(Read read, Outcome outcome) {}

    private final Bulkhead bulkhead;
    private final Map<Key, Timer> timers = new HashMap<>();

    QuerySlots(int slots, Duration waitMax, MeterRegistry registry) {
        this.bulkhead = Bulkhead.of(
                "porcupine-query",
                BulkheadConfig.custom()
                        .maxConcurrentCalls(slots)
                        .maxWaitDuration(waitMax)
                        .build());
        for (Read read : Read.values()) {
            for (Outcome outcome : Outcome.values()) {
                timers.put(
                        new Key(read, outcome),
                        Timer.builder("porcupine.query.duration")
                                .description("Interactive reads, waiting and writing included, by how they ended")
                                .tag("read", tag(read))
                                .tag("outcome", tag(outcome))
                                .register(registry));
            }
        }
        Gauge.builder(
                        "porcupine.query.slots.free",
                        bulkhead,
                        slot -> slot.getMetrics().getAvailableConcurrentCalls())
                .description("Slots for interactive reads that nobody holds")
                .register(registry);
    }

    /** Runs one read in a slot. What can go wrong with history comes out as a problem for the client. */
    void run(Read read, Runnable body) {
        long started = System.nanoTime();
        Outcome outcome = Outcome.FAILED;
        try {
            bulkhead.acquirePermission();
            try {
                body.run();
            } finally {
                bulkhead.onComplete();
            }
            outcome = Outcome.ANSWERED;
        } catch (BulkheadFullException e) {
            outcome = Outcome.OVERLOADED;
            throw new ProblemException(
                    Problem.OVERLOADED,
                    "All " + bulkhead.getBulkheadConfig().getMaxConcurrentCalls() + " places for reading are taken");
        } catch (HistoryReadException e) {
            outcome = switch (e.kind()) {
                case UNAVAILABLE -> Outcome.HISTORY_UNAVAILABLE;
                case LIMIT -> Outcome.LIMIT;
            };
            throw new ProblemException(problem(e.kind()), message(e));
        } catch (ProblemException e) {
            outcome = Outcome.REFUSED;
            throw e;
        } finally {
            timer(read, outcome).record(Duration.ofNanos(System.nanoTime() - started));
        }
    }

    private Timer timer(Read read, Outcome outcome) {
        Timer timer = timers.get(new Key(read, outcome));
        if (timer == null) {
            throw new IllegalStateException("no timer for " + read + " " + outcome);
        }
        return timer;
    }

    private static Problem problem(HistoryReadException.Kind kind) {
        return switch (kind) {
            case UNAVAILABLE -> Problem.HISTORY_UNAVAILABLE;
            case LIMIT -> Problem.QUERY_LIMIT;
        };
    }

    private static String message(HistoryReadException e) {
        String message = e.getMessage();
        return message == null ? "" : message;
    }

    private static String tag(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
