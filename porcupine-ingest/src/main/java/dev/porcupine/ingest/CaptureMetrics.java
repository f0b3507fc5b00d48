package dev.porcupine.ingest;

import dev.porcupine.ledger.Verdict;
import dev.porcupine.schema.Problem;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What capture counts. Of the events, {@code porcupine.capture.received} equals the sum of {@code porcupine.capture.events} over its
 * outcomes (I9). Events of a body that can't be read are not counted: nobody knows how many they were.
 */
final class CaptureMetrics {

    /** What became of an event; a closed set. */
    enum Outcome {
        ACCEPTED,
        DUPLICATE,
        REJECTED,
        /** Valid, but its request was refused. */
        REFUSED,
        /** Dropped silently, as PostHog does. */
        FILTERED
    }

    private static final String ANSWER_OK = "ok";
    private static final String ANSWER_ABORTED = "aborted";

    private final Counter received;
    private final Map<Outcome, Counter> events = new EnumMap<>(Outcome.class);
    private final Map<RejectReason, Counter> rejections = new EnumMap<>(RejectReason.class);
    private final Map<Verdict.Kind, Counter> duplicates = new EnumMap<>(Verdict.Kind.class);
    private final Counter twiceInBatch;
    private final Counter conflicts;
    private final Map<Problem, Counter> refusals = new EnumMap<>(Problem.class);
    private final Counter answered;
    private final Counter aborted;
    private final DistributionSummary bodyBytes;
    private final Timer duration;

    CaptureMetrics(MeterRegistry registry, BodyBudget budget) {
        received = Counter.builder("porcupine.capture.received")
                .description("Events read from request bodies; the sum of porcupine.capture.events")
                .register(registry);
        for (Outcome outcome : Outcome.values()) {
            events.put(
                    outcome,
                    Counter.builder("porcupine.capture.events")
                            .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
                            .description("Events by what became of them")
                            .register(registry));
        }
        for (RejectReason reason : RejectReason.values()) {
            rejections.put(
                    reason,
                    Counter.builder("porcupine.capture.rejections")
                            .tag("reason", reason.code())
                            .description("Rejected events by reason")
                            .register(registry));
        }
        twiceInBatch = duplicates(registry, "batch");
        for (Verdict.Kind kind : Verdict.Kind.values()) {
            if (kind != Verdict.Kind.ACCEPTED) {
                duplicates.put(kind, duplicates(registry, knownBy(kind)));
            }
        }
        conflicts = Counter.builder("porcupine.capture.conflicts")
                .description("Duplicates whose name or distinct_id differs from the first event's")
                .register(registry);
        answered = requests(registry, ANSWER_OK);
        aborted = requests(registry, ANSWER_ABORTED);
        for (Problem problem : Problem.values()) {
            refusals.put(problem, requests(registry, problem.code()));
        }
        bodyBytes = DistributionSummary.builder("porcupine.capture.body")
                .baseUnit("bytes")
                .description("Bytes of request bodies as sent")
                .register(registry);
        duration = Timer.builder("porcupine.capture.duration")
                .description("From a request's head to its answer")
                .register(registry);
        Gauge.builder("porcupine.capture.inflight", budget, BodyBudget::bytesInUse)
                .baseUnit("bytes")
                .description("Bytes of bodies and events that requests hold")
                .register(registry);
        Gauge.builder("porcupine.capture.inflight.limit", budget, BodyBudget::bytesMax)
                .baseUnit("bytes")
                .description("Where requests are refused as overload")
                .register(registry);
    }

    private static Counter requests(MeterRegistry registry, String answer) {
        return Counter.builder("porcupine.capture.requests")
                .tag("answer", answer)
                .description("Capture requests by answer: ok, aborted by the client, or a problem's code")
                .register(registry);
    }

    private static Counter duplicates(MeterRegistry registry, String knownBy) {
        return Counter.builder("porcupine.capture.duplicates")
                .tag("known_by", knownBy)
                .description(
                        "Duplicates by who knew them; the sum is the outcome duplicate of porcupine.capture.events")
                .register(registry);
    }

    private static String knownBy(Verdict.Kind kind) {
        return switch (kind) {
            case ACCEPTED -> throw new IllegalArgumentException("nobody knows a new event");
            case KNOWN_IN_QUEUE -> "queue";
            case KNOWN_IN_QUARANTINE -> "quarantine";
            case KNOWN_BY_RECEIPT -> "receipt";
            case KNOWN_BY_HEAD -> "head";
            case KNOWN_IN_HISTORY -> "history";
        };
    }

    /** Counts a duplicate by who knew it; a new event is counted elsewhere. */
    void verdict(Verdict.Kind kind) {
        if (kind != Verdict.Kind.ACCEPTED) {
            counter(duplicates, kind).increment();
        }
    }

    void twiceInBatch(int count) {
        twiceInBatch.increment(count);
    }

    void received(int count) {
        received.increment(count);
    }

    void events(Outcome outcome, int count) {
        if (count > 0) {
            counter(events, outcome).increment(count);
        }
    }

    void rejected(RejectReason reason, int count) {
        counter(rejections, reason).increment(count);
    }

    void conflict() {
        conflicts.increment();
    }

    /** @param problem null when the request succeeded */
    void answered(@Nullable Problem problem, long bytes, long nanos) {
        (problem == null ? answered : counter(refusals, problem)).increment();
        bodyBytes.record((double) bytes);
        duration.record(nanos, TimeUnit.NANOSECONDS);
    }

    void aborted(long bytes) {
        aborted.increment();
        bodyBytes.record((double) bytes);
    }

    private static <K extends Enum<K>> Counter counter(Map<K, Counter> counters, K key) {
        Counter counter = counters.get(key);
        if (counter == null) {
            throw new IllegalStateException("no counter was registered for " + key);
        }
        return counter;
    }
}
