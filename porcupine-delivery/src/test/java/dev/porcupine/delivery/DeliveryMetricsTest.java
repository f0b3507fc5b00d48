package dev.porcupine.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.delivery.PassOutcome.Cause;
import dev.porcupine.testkit.ManualClock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DeliveryMetricsTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ManualClock clock = ManualClock.started();
    private final DeliveryMetrics metrics = new DeliveryMetrics(registry, clock);

    @Test
    void every_meter_is_there_before_anything_happened() {
        assertThat(registry.get("porcupine.delivery.events").counters())
                .hasSize(2)
                .extracting(Counter::count)
                .containsOnly(0.0);
        assertThat(registry.get("porcupine.delivery.batches").counters())
                .extracting(counter -> counter.getId().getTag("result"))
                .containsExactlyInAnyOrder("acknowledged", "rows_refused", "unknown");
        assertThat(registry.get("porcupine.delivery.stalls").counters()).hasSize(Cause.values().length);
        assertThat(registry.get("porcupine.delivery.duration").timer().count()).isZero();
        assertThat(registry.get("porcupine.delivery.backoff").timeGauge().value())
                .isZero();
        assertThat(lagSeconds()).isZero();
    }

    @Test
    void lag_is_the_age_of_the_oldest_queued_event_and_never_negative() {
        metrics.oldest(clock.millis());
        clock.advance(Duration.ofSeconds(90));
        assertThat(lagSeconds()).isEqualTo(90);
        clock.advance(Duration.ofMinutes(-10));
        assertThat(lagSeconds()).isZero();
        clock.advance(Duration.ofHours(1));
        metrics.queueEmpty();
        assertThat(lagSeconds()).isZero();
    }

    private double lagSeconds() {
        return registry.get("porcupine.delivery.lag").timeGauge().value(TimeUnit.SECONDS);
    }
}
