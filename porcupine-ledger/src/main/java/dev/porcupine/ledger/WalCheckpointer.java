package dev.porcupine.ledger;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the write-ahead log into the main file beside the writer, which goes on meanwhile. SQLite would do it inside some writer's
 * commit: 16 MiB of pages and an fsync of the main file are 40 ms and more in which nobody is answered. It decides nothing and writes no
 * row: pages that are committed move from one file to the other.
 *
 * <p>It can't shorten the log, because it never meets the writer idle; {@link LedgerWriter} does that, and finds little left to copy.
 */
final class WalCheckpointer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(WalCheckpointer.class);

    /** Often enough that a truncation finds little to copy, seldom enough that its two fsyncs don't slow the writer's. */
    private static final long DUE_BYTES = 8L << 20;

    /** What a transaction writes beside its rows: inner pages, counters. */
    private static final long TRANSACTION_BYTES = 4 * 4_096L;

    /** A row with a random key touches a page of its own in the index. */
    private static final long ROW_BYTES = 4_096L;

    private final LedgerFile file;
    private final Semaphore due = new Semaphore(0);
    private final Thread thread;
    private volatile boolean closed;
    private long estimatedBytes;
    private boolean failing;

    WalCheckpointer(LedgerFile file) {
        this.file = file;
        this.thread = new Thread(this::work, "ledger-checkpointer");
    }

    void start() {
        thread.start();
    }

    /** Told by the writer's thread of each commit. An estimate: the log's length tells nothing, for SQLite writes over its old parts. */
    void committed(long rows) {
        estimatedBytes += TRANSACTION_BYTES + rows * ROW_BYTES;
        if (estimatedBytes >= DUE_BYTES) {
            estimatedBytes = 0;
            due.release();
        }
    }

    /** Waits for a copy under way. Before the writer's connection closes, which does the rest. */
    @Override
    public void close() {
        closed = true;
        due.release();
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void work() {
        Connection connection = null;
        try {
            while (true) {
                due.acquire();
                due.drainPermits();
                if (closed) {
                    return;
                }
                connection = copy(connection);
            }
        } catch (InterruptedException e) {
            log.error(
                    "The ledger's checkpointer was interrupted and ends; the writer copies the log by itself from now on",
                    e);
        } finally {
            discard(connection);
        }
    }

    /** @return the connection to go on with; null after a failure */
    private @Nullable Connection copy(@Nullable Connection open) {
        Connection connection = open;
        try {
            if (connection == null) {
                connection = file.openForWriting();
            }
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("pragma wal_checkpoint(passive)")) {
                row.next();
            }
            if (failing) {
                failing = false;
                log.info("The ledger's write-ahead log is copied again");
            }
            return connection;
        } catch (SQLException e) {
            if (!failing) {
                failing = true;
                log.error(
                        "The ledger's write-ahead log can't be copied into its main file, and grows: {}",
                        e.getMessage(),
                        e);
            }
            discard(connection);
            return null;
        }
    }

    private static void discard(@Nullable Connection connection) {
        if (connection != null) {
            try {
                connection.close();
            } catch (SQLException e) {
                log.warn("Closing the checkpointer's connection failed: {}", e.getMessage());
            }
        }
    }
}
