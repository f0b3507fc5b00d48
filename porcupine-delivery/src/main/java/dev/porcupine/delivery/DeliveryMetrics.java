package dev.porcupine.delivery;

import dev.porcupine.delivery.PassOutcome.Cause;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Meters of delivery, all registered at start so that a zero is visible. */
final class DeliveryMetrics {

    /** What history said of one insert. */
    enum InsertAnswer {
        ACKNOWLEDGED,
        ROWS_REFUSED,
        UNKNOWN
    }

    private static final long NONE = Long.MIN_VALUE;

    private final InstantSource clock;
    private final Counter delivered;
    private final Counter quarantined;
    private final Map<InsertAnswer, Counter> batches = new EnumMap<>(InsertAnswer.class);
    private final Map<Cause, Counter> stalls = new EnumMap<>(Cause.class);
    private final Timer duration;
    private volatile long backoffMillis;
    private volatile long oldestReceivedAtMillis = NONE;

    DeliveryMetrics(MeterRegistry registry, InstantSource clock) {
        this.clock = clock;
        this.delivered = events(registry, "delivered");
        this.quarantined = events(registry, "quarantined");
        for (InsertAnswer answer : InsertAnswer.values()) {
            batches.put(
                    answer,
                    Counter.builder("porcupine.delivery.batches")
                            .description("Inserts into history by what it answered")
                            .tag("result", tag(answer))
                            .register(registry));
        }
        for (Cause cause : Cause.values()) {
            stalls.put(
                    cause,
                    Counter.builder("porcupine.delivery.stalls")
                            .description("Passes that left events in the queue, by cause")
                            .tag("cause", tag(cause))
                            .register(registry));
        }
        this.duration = Timer.builder("porcupine.delivery.duration")
                .description("From the start of an acknowledged insert until its events are settled")
                .register(registry);
        TimeGauge.builder("porcupine.delivery.backoff", () -> backoffMillis, TimeUnit.MILLISECONDS)
                .description("Pause before the next try; 0 while delivery is well")
                .register(registry);
        TimeGauge.builder("porcupine.delivery.lag", this::lagMillis, TimeUnit.MILLISECONDS)
                .description("Age of the oldest queued event, as of the last pass; 0 when none waits")
                .register(registry);
    }

    void delivered(int events, Duration took) {
        delivered.increment(events);
        duration.record(took);
    }

    void quarantined(int events) {
        quarantined.increment(events);
    }

    void answered(InsertAnswer answer) {
        counter(batches, answer).increment();
    }

    void stalled(Cause cause) {
        counter(stalls, cause).increment();
    }

    void backoff(Duration pause) {
        backoffMillis = pause.toMillis();
    }

    void oldest(long receivedAtMillis) {
        oldestReceivedAtMillis = receivedAtMillis;
    }

    void queueEmpty() {
        oldestReceivedAtMillis = NONE;
    }

    private long lagMillis() {
        long oldest = oldestReceivedAtMillis;
        return oldest == NONE ? 0 : Math.max(0, clock.millis() - oldest);
    }

    private static <K> Counter counter(Map<K, Counter> counters, K key) {
        Counter counter = counters.get(key);
        if (counter == null) {
            throw new IllegalStateException("no counter for " + key);
        }
        return counter;
    }

    private static Counter events(MeterRegistry registry, String outcome) {
        return Counter.builder("porcupine.delivery.events")
                .description("Events that left the queue, by where they went")
                .tag("outcome", outcome)
                .register(registry);
    }

    private static String tag(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
