package dev.porcupine.ledger;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The statements of mutation heads. */
final class MutationRows {

    private static final String HEAD = """
        select revision, is_deleted, received_at from mutation_heads where project_id = ? and uuid = ?
        """;

    private static final String COMPLETE = "select complete from ledger_state where id = 1";

    private static final String RECEIPT = "select received_at from event_receipts where project_id = ? and uuid = ?";

    private static final String IN_QUEUE = "select " + EventRows.COLUMNS + """
         from event_queue
        where project_id = ? and uuid = ? and revision = ?
        """;

    private static final String IN_QUARANTINE = "select " + EventRows.COLUMNS + """
         from event_quarantine
        where project_id = ? and uuid = ? and revision = ?
        """;

    private static final String PUT_HEAD = """
        insert into mutation_heads (project_id, uuid, revision, is_deleted, received_at, pending)
        values (?, ?, ?, ?, ?, 1)
        on conflict (project_id, uuid) do update
        set revision = excluded.revision, is_deleted = excluded.is_deleted, pending = 1
        """;

    /** One revision at most: the one that the head names. An older one on its way changes nothing that a reader sees. */
    private static final String SETTLE_HEAD = """
        update mutation_heads set pending = 0 where project_id = ? and uuid = ? and revision = ?
        """;

    private static final String ORIGINALS_WITH_HEADS = """
        select count(*)
        from json_each(?) as j
            cross join event_queue as q on q.seq = j.value
            cross join mutation_heads as h on h.project_id = q.project_id and h.uuid = q.uuid
        where q.revision = 1
        """;

    private MutationRows() {}

    /**
     * @param revision the newest one, 2 or more
     * @param receivedAtMillis of the original
     */
    record Head(long revision, boolean deleted, long receivedAtMillis) {}

    static Optional<Head> head(Connection connection, EventIdentity identity) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(HEAD)) {
            return head(select, identity);
        }
    }

    static Optional<Head> head(WriteTransaction transaction, EventIdentity identity) throws SQLException {
        return head(transaction.statement(HEAD), identity);
    }

    private static Optional<Head> head(PreparedStatement select, EventIdentity identity) throws SQLException {
        bind(select, identity);
        try (ResultSet row = select.executeQuery()) {
            return row.next()
                    ? Optional.of(new Head(row.getLong(1), row.getInt(2) != 0, row.getLong(3)))
                    : Optional.empty();
        }
    }

    /** A revision that waits in the queue or stands in quarantine. */
    static Optional<Event> held(Connection connection, EventIdentity identity, long revision) throws SQLException {
        for (String sql : new String[] {IN_QUEUE, IN_QUARANTINE}) {
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                bind(select, identity);
                select.setLong(3, revision);
                try (ResultSet row = select.executeQuery()) {
                    if (row.next()) {
                        return Optional.of(EventRows.event(row));
                    }
                }
            }
        }
        return Optional.empty();
    }

    /** When the original of a receipt was received. */
    static Optional<Long> receipt(Connection connection, EventIdentity identity) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(RECEIPT)) {
            bind(select, identity);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? Optional.of(row.getLong(1)) : Optional.empty();
            }
        }
    }

    /** Read from the same snapshot as the rest: the writer's memory learns of a first eviction a moment after the disk does. */
    static boolean complete(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(COMPLETE);
                ResultSet row = select.executeQuery()) {
            return row.next() && row.getInt(1) == 1;
        }
    }

    static void putHead(WriteTransaction transaction, Event revision) throws SQLException {
        PreparedStatement put = transaction.statement(PUT_HEAD);
        bind(put, revision.identity());
        put.setLong(3, revision.revision());
        put.setInt(4, revision.deleted() ? 1 : 0);
        put.setLong(5, revision.receivedAtMillis());
        transaction.rowStep();
        put.executeUpdate();
    }

    /** Heads whose newest revision leaves the queue for history are pending no longer. */
    static void settleHeads(WriteTransaction transaction, List<QueueRows.Row> mutations) throws SQLException {
        PreparedStatement update = transaction.statement(SETTLE_HEAD);
        transaction.rowStep();
        for (QueueRows.Row row : mutations) {
            bind(update, row.identity());
            update.setLong(3, row.revision());
            update.executeUpdate();
        }
    }

    /** Originals on their way out of the queue that need no receipt, because a head knows them for ever. */
    static int originalsWithHeads(WriteTransaction transaction, QueueRows.Leaving leaving) throws SQLException {
        PreparedStatement select = transaction.statement(ORIGINALS_WITH_HEADS);
        select.setString(1, leaving.seqs());
        try (ResultSet row = select.executeQuery()) {
            row.next();
            return row.getInt(1);
        }
    }

    private static void bind(PreparedStatement statement, EventIdentity identity) throws SQLException {
        statement.setLong(1, identity.project().value());
        statement.setBytes(2, identity.uuid().toBytes());
    }
}
