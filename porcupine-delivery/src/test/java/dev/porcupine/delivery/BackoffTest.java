package dev.porcupine.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BackoffTest {

    @Test
    void pauses_double_up_to_the_longest_and_stay_there() {
        Backoff backoff = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(30), () -> 0);
        List<Long> millis = new ArrayList<>();
        for (int n = 0; n < 11; n++) {
            millis.add(backoff.next().toMillis());
        }
        assertThat(millis)
                .containsExactly(200L, 400L, 800L, 1_600L, 3_200L, 6_400L, 12_800L, 25_600L, 30_000L, 30_000L, 30_000L);
    }

    @Test
    void reset_starts_over() {
        Backoff backoff = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(30), () -> 0);
        backoff.next();
        backoff.next();
        backoff.reset();
        assertThat(backoff.next()).isEqualTo(Duration.ofMillis(200));
    }

    @Test
    void jitter_takes_away_at_most_a_half() {
        long seed = 7;
        Random random = new Random(seed);
        Backoff backoff = new Backoff(Duration.ofSeconds(30), Duration.ofSeconds(30), random::nextDouble);
        for (int n = 0; n < 1_000; n++) {
            assertThat(backoff.next()).as("seed %d", seed).isBetween(Duration.ofSeconds(15), Duration.ofSeconds(30));
        }
    }
}
