package dev.porcupine.ledger;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Accepted events that history refused for their own sake (P55). They keep payload and identity until retried. */
public final class Quarantine {

    private static final int PAGE_ROWS_MAX = 1_000;

    private static final String LIST = """
            select %s, reason, quarantined_at
            from event_quarantine
            where project_id = ? and seq > ?
            order by seq
            limit ?
            """.formatted(EventRows.COLUMNS);

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

    Quarantine(LedgerWriter writer, JdbcClient readers, LedgerSettings settings, ProjectDirectory projects) {
        this.writer = writer;
        this.readers = readers;
        this.settings = settings;
        this.projects = projects;
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
                    .query((ResultSet row, int number) -> new QuarantinedEvent(
                            EventRows.seq(row), EventRows.event(row), row.getString(11), row.getLong(12)))
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
