package dev.porcupine.delivery;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/** Pauses that double from first to max, each shortened by up to a half at random so that many processes don't return in step. */
final class Backoff {

    private final Duration first;
    private final Duration max;
    private final DoubleSupplier random;
    private Duration step;

    /**
     * @param random from 0 to 1
     */
    Backoff(Duration first, Duration max, DoubleSupplier random) {
        this.first = first;
        this.max = max;
        this.random = random;
        this.step = first;
    }

    Duration next() {
        Duration full = step;
        Duration doubled = full.multipliedBy(2);
        step = doubled.compareTo(max) < 0 ? doubled : max;
        long half = full.toNanos() / 2;
        return Duration.ofNanos(full.toNanos() - (long) (half * random.getAsDouble()));
    }

    void reset() {
        step = first;
    }
}
