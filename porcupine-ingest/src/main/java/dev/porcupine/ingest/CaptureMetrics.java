package dev.porcupine.ingest;

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
