package dev.porcupine.schema;

/**
 * Time that only goes forward, for waits and leases. Its zero means nothing: only differences do, and they are compared
 * by subtraction because the value may wrap.
 */
@FunctionalInterface
public interface Ticker {

    /** Nanoseconds since an arbitrary moment. */
    long nanos();

    static Ticker system() {
        return System::nanoTime;
    }
}
