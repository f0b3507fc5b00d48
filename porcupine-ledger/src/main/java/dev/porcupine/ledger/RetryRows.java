package dev.porcupine.ledger;

import dev.porcupine.schema.ProjectId;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.StringJoiner;

/** The statements that bring many quarantined events back into the queue. */
final class RetryRows {

    static final int ROWS_MAX = 256;

    /** Payloads are copied from one table to the other. */
    private static final long BYTES_MAX = 8L << 20;

    private static final String OLDEST = """
            select seq, bytes
            from event_quarantine
            where project_id = ? and seq <= ?
            order by seq
            limit ?
            """;

    private static final String REQUEUE = """
            insert into event_queue (
                project_id, uuid, revision, is_deleted, name, distinct_id, timestamp_us, received_at, bytes, properties, protocol
            )
            select project_id, uuid, revision, is_deleted, name, distinct_id, timestamp_us, received_at, bytes, properties, ?2
            from event_quarantine
            where seq in (select value from json_each(?1))
            order by seq
            """;

    private static final String DELETE = """
            delete from event_quarantine where seq in (select value from json_each(?))
            """;

    private RetryRows() {}

    record Requeued(int rows, Quarantine.Left left) {

        static final Requeued NONE = new Requeued(0, Quarantine.Left.NOTHING);
    }

    /**
     * @param last no entry after this one
     */
    static Requeued requeueOldest(WriteTransaction transaction, LedgerSettings settings, ProjectId project, long last)
            throws SQLException {
        PreparedStatement select = transaction.statement(OLDEST);
        select.setLong(1, project.value());
        select.setLong(2, last);
        select.setInt(3, ROWS_MAX + 1);
        StringJoiner seqs = new StringJoiner(",", "[", "]");
        int rows = 0;
        long bytes = 0;
        Quarantine.Left left = Quarantine.Left.NOTHING;
        try (ResultSet row = select.executeQuery()) {
            while (row.next()) {
                if (rows == ROWS_MAX || (rows > 0 && bytes + row.getLong(2) > BYTES_MAX)) {
                    left = Quarantine.Left.MORE;
                    break;
                }
                if (!QueueBudget.fits(settings, transaction.state(), rows + 1, bytes + row.getLong(2))) {
                    left = Quarantine.Left.NO_ROOM;
                    break;
                }
                seqs.add(Long.toString(row.getLong(1)));
                rows++;
                bytes += row.getLong(2);
            }
        }
        if (rows > 0) {
            move(transaction, seqs.toString(), rows);
            transaction.state(transaction.state().withQueue(rows, bytes).withQuarantined(-rows));
        }
        return new Requeued(rows, left);
    }

    private static void move(WriteTransaction transaction, String seqs, int rows) throws SQLException {
        PreparedStatement requeue = transaction.statement(REQUEUE);
        requeue.setString(1, seqs);
        requeue.setInt(2, AcceptRows.PROTOCOL_MARKER);
        transaction.rowStep();
        int queued = requeue.executeUpdate();
        PreparedStatement delete = transaction.statement(DELETE);
        delete.setString(1, seqs);
        transaction.rowStep();
        if (queued != rows || delete.executeUpdate() != rows) {
            throw new IllegalStateException(rows + " entries were to leave the quarantine, not all of them did");
        }
    }
}
