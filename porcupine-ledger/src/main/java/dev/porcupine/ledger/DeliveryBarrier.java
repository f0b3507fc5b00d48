package dev.porcupine.ledger;

import dev.porcupine.schema.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Where whoever carries queued events to history, and whoever removes a project, meet without knowing of each other. A carrier holds events
 * in memory after their rows are gone, and an insert that it gave up may go on at the server. A removal must delete from history after
 * both, or rows of the project would come back.
 *
 * <p>A carrier enters <em>before</em> it reads the queue and leaves after its last insert has ended. A {@link Quiet} begins <em>after</em>
 * the rows were dropped. So every carrier that can have read them had entered by then, and the quiet waits for it; if it left without knowing
 * how its inserts ended, the quiet also waits for as long as such an insert can last. Carriers that enter later delay nothing: under
 * constant load, or with a history that answers nothing, a removal still gets through.
 *
 * <p>What an earlier process gave up when it was killed is unknown, so opening the ledger counts as such a leave.
 */
public final class DeliveryBarrier {

    private final Ticker ticker;
    private final TreeSet<Long> underWay = new TreeSet<>();
    private final List<Quiet> quiets = new ArrayList<>();
    private long entered;
    private long unclearAtNanos;

    DeliveryBarrier(Ticker ticker) {
        this.ticker = ticker;
        this.unclearAtNanos = ticker.nanos();
    }

    /** Call before reading the queue. */
    public synchronized Carrier enter() {
        long number = ++entered;
        underWay.add(number);
        return new Carrier(number);
    }

    /** Call after the rows were dropped, on disk. */
    public synchronized Quiet quiet() {
        Quiet quiet = new Quiet(entered, unclearAtNanos);
        quiets.add(quiet);
        return quiet;
    }

    private synchronized void leave(long number, boolean clear) {
        if (!underWay.remove(number) || clear) {
            return;
        }
        unclearAtNanos = ticker.nanos();
        for (Quiet quiet : quiets) {
            if (number <= quiet.last) {
                quiet.unclearAtNanos = unclearAtNanos;
            }
        }
    }

    /** From before the queue is read until the last insert has ended. Not clear until said so: an exception is not. */
    public final class Carrier implements AutoCloseable {

        private final long number;
        private boolean clear;

        private Carrier(long number) {
            this.number = number;
        }

        /** Every insert ended in an answer: none goes on at the server. */
        public void allClear() {
            clear = true;
        }

        @Override
        public void close() {
            leave(number, clear);
        }
    }

    /** A wait until nothing that was read before its beginning can still reach history. */
    public final class Quiet implements AutoCloseable {

        private final long last;
        private long unclearAtNanos;

        private Quiet(long last, long unclearAtNanos) {
            this.last = last;
            this.unclearAtNanos = unclearAtNanos;
        }

        /**
         * @param linger how long an insert that was given up may go on
         * @return zero when it is quiet; a positive duration to wait at least otherwise
         */
        public Duration left(Duration linger) {
            synchronized (DeliveryBarrier.this) {
                boolean carried = !underWay.isEmpty() && underWay.first() <= last;
                if (carried) {
                    return linger.isZero() ? Duration.ofMillis(1) : linger;
                }
                Duration left = linger.minusNanos(ticker.nanos() - unclearAtNanos);
                return left.isNegative() ? Duration.ZERO : left;
            }
        }

        @Override
        public void close() {
            synchronized (DeliveryBarrier.this) {
                quiets.remove(this);
            }
        }
    }
}
