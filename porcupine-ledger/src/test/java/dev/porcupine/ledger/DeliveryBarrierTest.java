package dev.porcupine.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.testkit.ManualTicker;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DeliveryBarrierTest {

    private static final Duration LINGER = Duration.ofSeconds(30);

    private final ManualTicker ticker = new ManualTicker();
    private DeliveryBarrier barrier;

    @BeforeEach
    void opened_long_ago() {
        barrier = new DeliveryBarrier(ticker);
        ticker.advance(LINGER);
    }

    @Test
    void nothing_under_way_is_quiet() {
        assertThat(barrier.quiet().left(LINGER)).isZero();
    }

    @Test
    void a_carrier_that_entered_before_is_waited_for_however_long_it_takes() {
        DeliveryBarrier.Carrier carrier = barrier.enter();
        DeliveryBarrier.Quiet quiet = barrier.quiet();
        ticker.advance(Duration.ofHours(1));
        assertThat(quiet.left(LINGER)).isPositive();
        assertThat(quiet.left(Duration.ZERO)).isPositive();
        carrier.allClear();
        carrier.close();
        assertThat(quiet.left(LINGER)).isZero();
    }

    @Test
    void a_carrier_that_entered_later_delays_nothing() {
        DeliveryBarrier.Quiet quiet = barrier.quiet();
        try (DeliveryBarrier.Carrier _ = barrier.enter()) {
            assertThat(quiet.left(LINGER)).isZero();
        }
        assertThat(quiet.left(LINGER)).isZero();
        assertThat(barrier.quiet().left(LINGER)).isEqualTo(LINGER);
    }

    @Test
    void an_insert_given_up_is_waited_for_as_long_as_it_may_linger() {
        DeliveryBarrier.Carrier unclear = barrier.enter();
        DeliveryBarrier.Quiet quiet = barrier.quiet();
        unclear.close();
        assertThat(quiet.left(LINGER)).isEqualTo(LINGER);
        ticker.advance(LINGER.minusNanos(1));
        assertThat(quiet.left(LINGER)).isEqualTo(Duration.ofNanos(1));
        ticker.advance(Duration.ofNanos(1));
        assertThat(quiet.left(LINGER)).isZero();
    }

    @Test
    void inserts_given_up_again_and_again_after_the_beginning_delay_nothing() {
        try (DeliveryBarrier.Carrier before = barrier.enter()) {
            before.allClear();
        }
        DeliveryBarrier.Quiet quiet = barrier.quiet();
        for (int n = 0; n < 5; n++) {
            barrier.enter().close();
            assertThat(quiet.left(LINGER)).isZero();
        }
    }

    @Test
    void what_an_earlier_process_gave_up_is_waited_for_from_the_opening_on() {
        DeliveryBarrier opened = new DeliveryBarrier(ticker);
        DeliveryBarrier.Quiet quiet = opened.quiet();
        assertThat(quiet.left(LINGER)).isEqualTo(LINGER);
        ticker.advance(LINGER);
        assertThat(quiet.left(LINGER)).isZero();
    }

    @Test
    void an_earlier_insert_given_up_counts_for_a_quiet_that_begins_later() {
        barrier.enter().close();
        ticker.advance(Duration.ofSeconds(10));
        assertThat(barrier.quiet().left(LINGER)).isEqualTo(Duration.ofSeconds(20));
    }
}
