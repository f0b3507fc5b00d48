package dev.porcupine.testkit;

import dev.porcupine.schema.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A monotonic ticker that stands still until a test moves it. It starts a second before the value wraps to negative, so
 * that code which compares readings instead of subtracting them is found out.
 */
public final class ManualTicker implements Ticker {

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000_000_000L);

    @Override
    public long nanos() {
        return nanos.get();
    }

    /** @param step zero or more */
    public void advance(Duration step) {
        if (step.isNegative()) {
            throw new IllegalArgumentException("a ticker never goes back: " + step);
        }
        nanos.addAndGet(step.toNanos());
    }
}
