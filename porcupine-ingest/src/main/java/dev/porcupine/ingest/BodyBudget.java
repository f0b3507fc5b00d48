package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes that all requests hold in memory together. Each request charges what it is about to allocate, before it allocates; when
 * the budget is spent, the request is refused as retryable instead of the process running out of heap.
 */
final class BodyBudget {

    private final long bytesMax;
    private final AtomicLong bytesInUse = new AtomicLong();

    BodyBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    long bytesInUse() {
        return bytesInUse.get();
    }

    long bytesMax() {
        return bytesMax;
    }

    Charge open() {
        return new Charge();
    }

    /** One request's share. Not thread-safe; a request moves between threads but is never in two. */
    final class Charge implements AutoCloseable {

        private long held;

        private Charge() {}

        /**
         * @throws ProblemException {@code BODY_TOO_LARGE} when this request could not be served even alone, since a retry could never
         *     succeed; {@code OVERLOADED} when it could, but not now
         */
        void take(long bytes) {
            if (held + bytes > bytesMax) {
                throw new ProblemException(
                        Problem.BODY_TOO_LARGE,
                        "reading this body takes more memory than the " + bytesMax + " bytes that bodies may use");
            }
            if (bytesInUse.addAndGet(bytes) > bytesMax) {
                bytesInUse.addAndGet(-bytes);
                throw new ProblemException(
                        Problem.OVERLOADED, "the " + bytesMax + " bytes that bodies may use are in use");
            }
            held += bytes;
        }

        /** What {@link #take} would grant this request, were it alone. */
        long alone() {
            return bytesMax - held;
        }

        void give(long bytes) {
            held -= bytes;
            bytesInUse.addAndGet(-bytes);
        }

        @Override
        public void close() {
            give(held);
        }
    }
}
