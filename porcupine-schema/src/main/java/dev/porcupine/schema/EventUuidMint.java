package dev.porcupine.schema;

import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Makes UUIDv7s (RFC 9562) for events that came without one. They ascend within a process even when the clock stands still or
 * steps back, so that history receives them in key order. Thread-safe.
 */
public final class EventUuidMint {

    /** RFC 9562 method 1: the 12 bits of rand_a as a counter within one millisecond. */
    private static final int COUNTER_MAX = 0xFFF;

    private static final long VERSION_7 = 0x7000L;
    private static final long VARIANT_RFC = 0x8000_0000_0000_0000L;
    private static final long RANDOM_MASK = 0x3FFF_FFFF_FFFF_FFFFL;

    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();
    private final ReentrantLock lock = new ReentrantLock();
    private long lastMillis;
    private int counter;

    public EventUuidMint(InstantSource clock) {
        this.clock = clock;
    }

    public EventUuid next() {
        long tail = VARIANT_RFC | (random.nextLong() & RANDOM_MASK);
        lock.lock();
        try {
            long now = clock.millis();
            if (now > lastMillis) {
                lastMillis = now;
                counter = 0;
            } else if (counter < COUNTER_MAX) {
                counter++;
            } else {
                lastMillis++;
                counter = 0;
            }
            return new EventUuid(lastMillis << 16 | VERSION_7 | counter, tail);
        } finally {
            lock.unlock();
        }
    }
}
