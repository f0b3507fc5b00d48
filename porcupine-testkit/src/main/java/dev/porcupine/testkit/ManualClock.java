package dev.porcupine.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A wall clock that stands still until a test moves it, also backwards, as real ones do. */
public final class ManualClock implements InstantSource {

    private volatile Instant now;

    public ManualClock(Instant start) {
        now = start;
    }

    /** At a moment with no meaning, the same in every run. */
    public static ManualClock started() {
        return new ManualClock(Instant.parse("2026-03-01T12:00:00Z"));
    }

    @Override
    public Instant instant() {
        return now;
    }

    /** @param step may be negative */
    public synchronized void advance(Duration step) {
        now = now.plus(step);
    }

    public synchronized void set(Instant instant) {
        now = instant;
    }
}
