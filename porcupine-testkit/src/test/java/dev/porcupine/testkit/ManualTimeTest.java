package dev.porcupine.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ManualTimeTest {

    @Test
    void a_manual_clock_moves_only_by_hand_and_both_ways() {
        ManualClock clock = new ManualClock(Instant.EPOCH);
        assertThat(clock.instant()).isEqualTo(Instant.EPOCH);

        clock.advance(Duration.ofSeconds(5));
        assertThat(clock.millis()).isEqualTo(5_000);
        clock.advance(Duration.ofSeconds(-6));
        assertThat(clock.millis()).isEqualTo(-1_000);
    }

    @Test
    void a_manual_ticker_moves_only_forward_and_wraps_like_a_real_one() {
        ManualTicker ticker = new ManualTicker();
        long before = ticker.nanos();

        ticker.advance(Duration.ofSeconds(2));

        assertThat(ticker.nanos()).isNegative();
        assertThat(ticker.nanos() - before).isEqualTo(2_000_000_000L);
        assertThatThrownBy(() -> ticker.advance(Duration.ofNanos(-1))).isInstanceOf(IllegalArgumentException.class);
    }
}
