package dev.porcupine.ledger;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.schema.Ticker;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Accepted events that history refused for their own sake (P55). They keep payload and identity until retried. */
public final class Quarantine {

    private static final int PAGE_ROWS_MAX = 1_000;

    /** No transaction of a retry begins later: a request ends before its client gives up. */
    static final Duration RETRY_MAX = Duration.ofSeconds(5);

    private static final String LIST = """
            select %s, reason, quarantined_at
            from event_quarantine
            where project_id = ? and seq > ?
            order by seq
            limit ?
            """.formatted(EventRows.COLUMNS);

    /** One statement, and so one snapshot. */
    private static final String ALL = """
            select %s, reason, quarantined_at
            from event_quarantine
            where project_id = ?
            order by seq
            """.formatted(EventRows.COLUMNS);

    private static final String LAST = "select coalesce(max(seq), 0) from event_quarantine where project_id = ?";

    private static final String BYTES = """
            select bytes from event_quarantine where seq = ? and project_id = ?
            """;

    private static final String REQUEUE = """
            insert into event_queue (
                project_id, uuid, revision, is_deleted, name, distinct_id, timestamp_us, received_at, bytes, properties, protocol
            )
            select project_id, uuid, revision, is_deleted, name, distinct_id, timestamp_us, received_at, bytes, properties, ?3
            from event_quarantine
            where seq = ?1 and project_id = ?2
            """;

    private static final String DELETE = """
            delete from event_quarantine where seq = ? and project_id = ?
            """;

    private final LedgerWriter writer;
    private final JdbcClient readers;
    private final LedgerSettings settings;
    private final ProjectDirectory projects;
    private final Ticker ticker;

    Quarantine(
            LedgerWriter writer,
            JdbcClient readers,
            LedgerSettings settings,
            ProjectDirectory projects,
            Ticker ticker) {
        this.writer = writer;
        this.readers = readers;
        this.settings = settings;
        this.projects = projects;
        this.ticker = ticker;
    }

    /**
     * Entries in ascending seq.
     *
     * @param afterSeq 0 for the first page, else the last seq of the page before
     * @param limit 1 to 1000
     * @throws ProblemException {@code LEDGER_UNAVAILABLE} when the ledger can't be read
     */
    public List<QuarantinedEvent> list(ProjectId project, long afterSeq, int limit) {
        if (limit < 1 || limit > PAGE_ROWS_MAX) {
            throw new IllegalArgumentException("a page has 1 to " + PAGE_ROWS_MAX + " entries, got " + limit);
        }
        try {
            return readers.sql(LIST)
                    .params(project.value(), afterSeq, limit)
                    .query((ResultSet row, int number) -> entry(row))
                    .list();
        } catch (DataAccessException e) {
            throw new ProblemException(Problem.LEDGER_UNAVAILABLE, "the ledger's quarantine can't be read");
        }
    }

    /**
     * Puts one entry back at the end of the queue.
     *
     * @return false when the project has no such entry
     * @throws ProblemException when the queue is full or the ledger can't write
     */
    public boolean retry(ProjectId project, long seq) {
        return writer.solo(1, transaction -> requeue(transaction, project, seq)).orThrow();
    }

    /** What a retry of all has left in quarantine, of that which stood there at its beginning. */
    public enum Left {
        NOTHING,
        /** The next entry found no room in the queue. */
        NO_ROOM,
        /** The time was up. */
        MORE
    }

    /**
     * What a retry of all came to.
     *
     * @param requeued entries that are in the queue now
     */
    public record Retried(int requeued, Left left) {}

    /**
     * Puts what stands in the project's quarantine now back at the end of the queue, oldest first, by transactions of at most 256, for five
     * seconds. An entry that is set aside again meanwhile is not retried a second time.
     *
     * @throws ProblemException when the ledger can't read or write; some entries may be in the queue then
     */
    public Retried retryAll(ProjectId project) {
        long start = ticker.nanos();
        long last = last(project);
        int requeued = 0;
        RetryRows.Requeued some;
        do {
            some = writer.solo(
                            RetryRows.ROWS_MAX,
                            transaction -> projects.takesWrites(project)
                                    ? RetryRows.requeueOldest(transaction, settings, project, last)
                                    : RetryRows.Requeued.NONE)
                    .orThrow();
            requeued += some.rows();
        } while (some.left() == Left.MORE && ticker.nanos() - start < RETRY_MAX.toNanos());
        return new Retried(requeued, some.left());
    }

    /**
     * Gives every entry that stands there at the beginning, in ascending seq, whatever happens to it meanwhile.
     *
     * @param entries called for one after the other while the ledger's snapshot is held: it must not wait for a client
     * @throws ProblemException {@code LEDGER_UNAVAILABLE} when the ledger can't be read to the end
     */
    public void snapshot(ProjectId project, Consumer<QuarantinedEvent> entries) {
        try {
            readers.sql(ALL).param(project.value()).query((ResultSet row) -> entries.accept(entry(row)));
        } catch (DataAccessException e) {
            throw new ProblemException(Problem.LEDGER_UNAVAILABLE, "the ledger's quarantine can't be read");
        }
    }

    private long last(ProjectId project) {
        try {
            return readers.sql(LAST).param(project.value()).query(Long.class).single();
        } catch (DataAccessException e) {
            throw new ProblemException(Problem.LEDGER_UNAVAILABLE, "the ledger's quarantine can't be read");
        }
    }

    private static QuarantinedEvent entry(ResultSet row) throws SQLException {
        return new QuarantinedEvent(EventRows.seq(row), EventRows.event(row), row.getString(11), row.getLong(12));
    }

    private boolean requeue(WriteTransaction transaction, ProjectId project, long seq) throws SQLException {
        if (!projects.takesWrites(project)) {
            return false;
        }
        PreparedStatement select = transaction.statement(BYTES);
        select.setLong(1, seq);
        select.setLong(2, project.value());
        long bytes;
        try (ResultSet row = select.executeQuery()) {
            if (!row.next()) {
                return false;
            }
            bytes = row.getLong(1);
        }
        LedgerState state = transaction.state();
        if (!QueueBudget.fits(settings, state, 1, bytes)) {
            throw new ProblemException(Problem.QUEUE_FULL, QueueBudget.explain(settings, state, 1, bytes));
        }
        PreparedStatement requeue = transaction.statement(REQUEUE);
        requeue.setLong(1, seq);
        requeue.setLong(2, project.value());
        requeue.setInt(3, AcceptRows.PROTOCOL_MARKER);
        transaction.rowStep();
        requeue.executeUpdate();
        PreparedStatement delete = transaction.statement(DELETE);
        delete.setLong(1, seq);
        delete.setLong(2, project.value());
        transaction.rowStep();
        delete.executeUpdate();
        transaction.state(state.withQueue(1, bytes).withQuarantined(-1));
        return true;
    }
}
