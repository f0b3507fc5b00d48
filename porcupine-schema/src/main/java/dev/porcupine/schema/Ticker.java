package dev.porcupine.schema;

/** A monotonic clock for waits and lives; it says nothing of the time of day. */
@FunctionalInterface
public interface Ticker {

    /** Nanoseconds since some fixed moment; only differences mean anything. */
    long nanos();

    static Ticker system() {
        return System::nanoTime;
    }
}
