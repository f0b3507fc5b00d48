package dev.porcupine.delivery;

import dev.porcupine.schema.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Monotonic time that moves only when told. */
final class ManualTicker implements Ticker {

    private final AtomicLong nanos = new AtomicLong();

    @Override
    public long nanos() {
        return nanos.get();
    }

    void advance(Duration by) {
        nanos.addAndGet(by.toNanos());
    }
}
