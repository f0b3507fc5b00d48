package dev.porcupine.ledger;

import dev.porcupine.schema.Problem;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One unit of work for the writer, and the place where its caller waits for the answer. */
final class WriteTask<T> {

    /** Runs on the writer's thread inside a savepoint. All or nothing: what it throws undoes all it did. */
    @FunctionalInterface
    interface Work<T> {
        T run(WriteTransaction transaction) throws SQLException;
    }

    private enum State {
        WAITING,
        TAKEN,
        ABANDONED
    }

    private final Work<T> work;
    private final int rows;
    private final long bytes;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
    private final CompletableFuture<WriteOutcome<T>> answer = new CompletableFuture<>();

    /** Made before it is needed: it answers where nothing may be allocated any more. */
    private final WriteOutcome<T> unknown = new WriteOutcome.Refused<>(
            Problem.LEDGER_UNAVAILABLE, "the ledger failed before its answer; it may be stored, send it again");

    /** Set by the writer inside the transaction; it becomes the answer when the transaction ends. */
    private @Nullable WriteOutcome<T> prepared;

    /**
     * @param rows how many rows it touches, for fairness between the lanes
     * @param bytes how much heap it holds while it waits
     */
    WriteTask(int rows, long bytes, Work<T> work) {
        this.rows = rows;
        this.bytes = bytes;
        this.work = work;
    }

    int rows() {
        return rows;
    }

    long bytes() {
        return bytes;
    }

    /** Called by the writer before it begins. False when the caller has given up: then nothing may be done for it. */
    boolean claim() {
        return state.compareAndSet(State.WAITING, State.TAKEN);
    }

    void run(WriteTransaction transaction) throws SQLException {
        prepared = new WriteOutcome.Committed<>(work.run(transaction));
    }

    void refuse(Problem problem, String detail) {
        prepared = new WriteOutcome.Refused<>(problem, detail);
    }

    /**
     * Lets the caller go.
     *
     * @param committed whether the transaction is known to be on disk. Where it isn't, a prepared success is no answer: preparing a refusal
     *     may itself have failed, for want of memory for example
     */
    void answer(boolean committed) {
        WriteOutcome<T> outcome = prepared;
        if (outcome == null || (!committed && outcome instanceof WriteOutcome.Committed)) {
            outcome = unknown;
        }
        answer.complete(outcome);
    }

    WriteOutcome<T> await(Duration wait) {
        try {
            return answer.get(wait.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return giveUp("no answer of the ledger within " + wait.toMillis() + " ms");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return giveUp("the wait for the ledger was interrupted");
        } catch (ExecutionException e) {
            throw new IllegalStateException("the writer answers with outcomes only", e);
        }
    }

    private WriteOutcome<T> giveUp(String why) {
        if (state.compareAndSet(State.WAITING, State.ABANDONED)) {
            return new WriteOutcome.Refused<>(Problem.OVERLOADED, why + "; nothing of it is stored");
        }
        WriteOutcome<T> late = answer.getNow(null);
        return late != null
                ? late
                : new WriteOutcome.Refused<>(Problem.LEDGER_UNAVAILABLE, why + "; it may be stored, send it again");
    }
}
