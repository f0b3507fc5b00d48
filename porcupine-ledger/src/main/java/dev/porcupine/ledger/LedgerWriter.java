package dev.porcupine.ledger;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only writer of the ledger: one thread, one connection, one transaction at a time.
 *
 * <p><b>What it guards.</b> A caller that is told "accepted" or "duplicate" can rely on the disk, and an identity is inserted by one
 * transaction only. Both follow from the order in which the thread works, and from nothing else:
 *
 * <ol>
 *   <li>Tasks that wait are taken as a group. {@code BEGIN IMMEDIATE}: nobody else can write until the end.
 *   <li>Each task runs in a savepoint of its own. It looks its identities up <em>inside</em> the transaction, so it sees what every
 *       earlier transaction and every earlier task of this group did. Two batches with the same event can't both find it absent,
 *       however they were interleaved before.
 *   <li>The counters are written, then {@code COMMIT} with {@code synchronous=FULL}: it returns after the fsync.
 *   <li>Only now does memory change (counters, tokens), and only then is anyone answered. A duplicate of an event that an earlier
 *       task of the same group inserted is answered after the same fsync as the event itself.
 * </ol>
 *
 * <p><b>When something fails.</b> A task that throws is undone by its savepoint and refused; the others of its group go on. If the
 * savepoint can't be undone (SQLite rolls back a whole transaction by itself on some disk errors, and what ran afterwards would be
 * committed one statement at a time), or if anything from the counters to the answers fails, the outcome of the group is taken as
 * <em>unknown</em>: all its tasks are refused as {@code LEDGER_UNAVAILABLE}, the connection is thrown away, and counters and tokens
 * are read from the disk again before the next transaction. A resend then finds duplicates, or is accepted: never both. Memory is
 * therefore never ahead of the disk, and behind it only while nothing can be written.
 *
 * <p><b>What a crash leaves.</b> SQLite keeps whole transactions. A killed process may leave a commit in the page cache that was
 * never synced; {@link LedgerFile#syncWal} makes it durable before the next process, or the next connection, answers a duplicate on
 * the strength of it.
 */
final class LedgerWriter implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(LedgerWriter.class);

    /** Reads into memory what mirrors the disk; called for each new connection. */
    @FunctionalInterface
    interface Mirror {
        void reload(Connection connection) throws SQLException;
    }

    private final LedgerFile file;
    private final LedgerTuning tuning;
    private final Mirror mirror;
    private final LongSupplier nanos;
    private final WriteLanes lanes;
    private final Thread thread;

    private volatile LedgerState state;
    private @Nullable WriterConnection connection;
    private long lostAtNanos;
    private volatile boolean failing;
    private long walBytesTolerated;

    /** Opens the connection in the caller's thread, so that a ledger that can't write doesn't start. */
    LedgerWriter(LedgerFile file, LedgerTuning tuning, Mirror mirror, LongSupplier nanos)
            throws SQLException, IOException {
        this.file = file;
        this.tuning = tuning;
        this.mirror = mirror;
        this.nanos = nanos;
        this.lanes = new WriteLanes(tuning.limits());
        this.walBytesTolerated = tuning.limits().walBytesMax();
        WriterConnection opened = open();
        this.connection = opened;
        this.state = LedgerState.read(opened.raw());
        this.thread = new Thread(this::work, "ledger-writer");
    }

    void start() {
        thread.start();
    }

    /** As of the last commit. */
    LedgerState state() {
        return state;
    }

    /** From a failed write until the next one succeeds. */
    boolean failing() {
        return failing;
    }

    /** Batches that wait for their turn. */
    int waitingCaptures() {
        return lanes.waitingCaptures();
    }

    <T> WriteOutcome<T> capture(int rows, long bytes, Duration waitMax, WriteTask.Work<T> work) {
        Duration own = tuning.limits().captureWait();
        return submit(WriteLanes.Lane.CAPTURE, new WriteTask<>(rows, bytes, work))
                .await(waitMax.compareTo(own) < 0 ? waitMax : own);
    }

    <T> WriteOutcome<T> solo(int rows, WriteTask.Work<T> work) {
        return await(soloLater(rows, work));
    }

    /** For callers that keep several transactions waiting, so that the writer needn't wait for them. */
    <T> WriteTask<T> soloLater(int rows, WriteTask.Work<T> work) {
        return submit(WriteLanes.Lane.SOLO, new WriteTask<>(rows, 0, work));
    }

    <T> WriteOutcome<T> await(WriteTask<T> task) {
        return task.await(tuning.limits().soloWait());
    }

    /** Ends after the transaction that is under way; what waits is refused. Closes the connection. */
    @Override
    public void close() {
        for (WriteTask<?> waiting : lanes.close()) {
            refuse(waiting, Problem.SHUTTING_DOWN, "the service is stopping; nothing of it is stored");
        }
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        discardConnection();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private <T> WriteTask<T> submit(WriteLanes.Lane lane, WriteTask<T> task) {
        switch (lanes.offer(lane, task)) {
            case TAKEN -> {}
            case FULL ->
                refuse(task, Problem.OVERLOADED, "too many writes wait for the ledger; nothing of this one is stored");
            case CLOSED -> refuse(task, Problem.SHUTTING_DOWN, "the service is stopping; nothing of it is stored");
        }
        return task;
    }

    private static void refuse(WriteTask<?> task, Problem problem, String detail) {
        task.refuse(problem, detail);
        task.answer();
    }

    private void work() {
        try {
            while (true) {
                List<WriteTask<?>> group = lanes.take();
                if (group.isEmpty()) {
                    return;
                }
                write(group);
            }
        } catch (InterruptedException e) {
            log.error("The ledger's writer was interrupted and ends; every write is refused from now on", e);
        } finally {
            for (WriteTask<?> waiting : lanes.close()) {
                refuse(waiting, Problem.SHUTTING_DOWN, "the service is stopping; nothing of it is stored");
            }
        }
    }

    /** One transaction, from the lanes to the answers. Whatever happens, every task is answered. */
    private void write(List<WriteTask<?>> group) {
        try {
            WriterConnection writing = connected();
            WriteTransaction transaction = new WriteTransaction(writing, state);
            writing.begin();
            boolean allRan = true;
            for (WriteTask<?> task : group) {
                allRan &= runTask(transaction, task);
            }
            boolean wrote = transaction.commit();
            state = transaction.state();
            transaction.committed();
            writing.step(WriteStep.ANSWER);
            if (wrote && allRan) {
                recovered();
            }
        } catch (Throwable t) { // an Error too: a group without an answer would hang its callers
            failed(t);
            for (WriteTask<?> task : group) {
                task.refuse(
                        Problem.LEDGER_UNAVAILABLE,
                        SqliteErrors.clientDetail(t) + "; whether this is stored is not known, send it again");
            }
        } finally {
            group.forEach(WriteTask::answer);
        }
        boundWal();
    }

    private boolean runTask(WriteTransaction transaction, WriteTask<?> task) throws SQLException {
        try {
            transaction.runTask(task);
            return true;
        } catch (WriteTransaction.TransactionLostException e) {
            throw e;
        } catch (ProblemException e) {
            task.refuse(e.problem(), e.detail());
            return true;
        } catch (SQLException | RuntimeException e) {
            logFailure("A write was undone and refused", e);
            task.refuse(Problem.LEDGER_UNAVAILABLE, SqliteErrors.clientDetail(e) + "; nothing of it is stored");
            return false;
        }
    }

    private WriterConnection connected() throws SQLException, IOException {
        WriterConnection current = connection;
        if (current != null) {
            return current;
        }
        if (nanos.getAsLong() - lostAtNanos < tuning.limits().reconnectPause().toNanos()) {
            throw new SQLException("the ledger's connection was lost a moment ago");
        }
        // counts from here also when opening fails
        lostAtNanos = nanos.getAsLong();
        current = open();
        try {
            state = LedgerState.read(current.raw());
        } catch (SQLException e) {
            current.close();
            throw e;
        }
        connection = current;
        return current;
    }

    private WriterConnection open() throws SQLException, IOException {
        file.syncWal();
        Connection raw = file.openForWriting();
        try {
            WriterConnection opened = new WriterConnection(raw, tuning.steps());
            mirror.reload(raw);
            return opened;
        } catch (SQLException | RuntimeException e) {
            raw.close();
            throw e;
        }
    }

    private void failed(Throwable thrown) {
        logFailure("The ledger can't write; captures are refused until it can", thrown);
        if (connection != null) {
            discardConnection();
            lostAtNanos = nanos.getAsLong();
        }
    }

    private void logFailure(String message, Throwable thrown) {
        if (!failing) {
            failing = true;
            log.error("{}: {}", message, SqliteErrors.root(thrown).getMessage(), thrown);
        }
    }

    private void recovered() {
        if (failing) {
            failing = false;
            log.info("The ledger commits again");
        }
    }

    private void discardConnection() {
        WriterConnection lost = connection;
        connection = null;
        if (lost != null) {
            try {
                lost.close();
            } catch (SQLException e) {
                log.warn("Closing the ledger's connection failed: {}", e.getMessage());
            }
        }
    }

    /**
     * SQLite's own checkpoints never restart the write-ahead log while readers overlap, so under constant load it grows without bound.
     * The writer truncates it between transactions; a reader in the way postpones it until the log has grown by an eighth.
     */
    private void boundWal() {
        WriterConnection writing = connection;
        try {
            long max = tuning.limits().walBytesMax();
            if (writing == null || walBytes() <= walBytesTolerated) {
                return;
            }
            long before = walBytes();
            Duration wait = tuning.limits().checkpointWait();
            if (writing.truncateWal(wait)) {
                walBytesTolerated = max;
                log.debug("Truncated the ledger's write-ahead log at {} bytes", before);
            } else {
                walBytesTolerated = before + max / 8;
                log.warn(
                        "The ledger's write-ahead log has {} bytes and a reader kept it from being truncated for {} ms",
                        before,
                        wait.toMillis());
            }
        } catch (SQLException | IOException | RuntimeException e) {
            logFailure("The ledger's write-ahead log can't be truncated", e);
            discardConnection();
            lostAtNanos = nanos.getAsLong();
        }
    }

    private long walBytes() throws IOException {
        return Files.exists(file.wal()) ? Files.size(file.wal()) : 0;
    }
}
