package dev.porcupine.ledger;

import dev.porcupine.ledger.Removal.Removed;
import dev.porcupine.schema.ProjectId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/** The statements of removals. Each that deletes is bounded, and searched by an index whose first column is the project. */
final class RemovalRows {

    /** As for settlements and evictions: what one transaction may hold up the others for. */
    static final int ROWS_MAX = 256;

    /** A payload that is dropped must be read, page by page. */
    private static final long BYTES_MAX = 8L << 20;

    private static final String SELECT = """
            select project_id, stage, requested_at, stage_since, queued, quarantined, history_rows, receipts, heads
            from project_removals
            """;

    private static final String UPSERT = """
            insert into project_removals (
                project_id, stage, requested_at, stage_since, queued, quarantined, history_rows, receipts, heads
            )
            values (?, ?, ?, ?, ?, ?, ?, ?, ?)
            on conflict (project_id) do update
            set stage = excluded.stage, stage_since = excluded.stage_since, queued = excluded.queued,
                quarantined = excluded.quarantined, history_rows = excluded.history_rows, receipts = excluded.receipts,
                heads = excluded.heads
            """;

    private static final String RECEIPTS = """
            select uuid, provenance is null from event_receipts where project_id = ? limit ?
            """;

    private static final String HEADS = "select uuid from mutation_heads where project_id = ? limit ?";

    private static final String DELETE_RECEIPT = "delete from event_receipts where project_id = ? and uuid = ?";

    private static final String DELETE_HEAD = "delete from mutation_heads where project_id = ? and uuid = ?";

    private static final String DELETE_TOKENS = """
            delete from project_tokens where id in (select id from project_tokens where project_id = ? limit ?)
            """;

    private static final String DELETE_PROJECT = "delete from projects where id = ?";

    /** All up to the new place was looked at before: keys ascend by project. */
    private static final String CURSOR_BACK = """
            update reconcile_cursor
            set (project_id, uuid) = (
                select project_id, uuid
                from event_receipts
                where project_id < ?1
                order by project_id desc, uuid desc
                limit 1)
            where project_id = ?1 and exists (select 1 from event_receipts where project_id < ?1)
            """;

    private static final String CURSOR_TO_START = "delete from reconcile_cursor where project_id = ?";

    private RemovalRows() {}

    static List<Removal> all(Connection connection) throws SQLException {
        List<Removal> all = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(SELECT);
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                all.add(new Removal(
                        new ProjectId(row.getLong(1)),
                        RemovalStage.of(row.getString(2)),
                        row.getLong(3),
                        row.getLong(4),
                        new Removed(row.getLong(5), row.getLong(6), row.getLong(7), row.getLong(8), row.getLong(9))));
            }
        }
        return all;
    }

    static void put(WriteTransaction transaction, Removal removal) throws SQLException {
        PreparedStatement upsert = transaction.statement(UPSERT);
        Removed removed = removal.removed();
        upsert.setLong(1, removal.project().value());
        upsert.setString(2, removal.stage().word());
        upsert.setLong(3, removal.requestedAtMillis());
        upsert.setLong(4, removal.stageSinceMillis());
        upsert.setLong(5, removed.queued());
        upsert.setLong(6, removed.quarantined());
        upsert.setLong(7, removed.historyRows());
        upsert.setLong(8, removed.receipts());
        upsert.setLong(9, removed.heads());
        transaction.rowStep();
        upsert.executeUpdate();
    }

    /**
     * @param table {@code event_queue} or {@code event_quarantine}
     */
    static Dropped drop(WriteTransaction transaction, String table, ProjectId project) throws SQLException {
        PreparedStatement select =
                transaction.statement("select seq, bytes from " + table + " where project_id = ? limit ?");
        select.setLong(1, project.value());
        select.setInt(2, ROWS_MAX);
        StringJoiner seqs = new StringJoiner(",", "[", "]");
        int rows = 0;
        long bytes = 0;
        try (ResultSet row = select.executeQuery()) {
            while (row.next() && (rows == 0 || bytes + row.getLong(2) <= BYTES_MAX)) {
                seqs.add(Long.toString(row.getLong(1)));
                rows++;
                bytes += row.getLong(2);
            }
        }
        if (rows > 0) {
            PreparedStatement delete =
                    transaction.statement("delete from " + table + " where seq in (select value from json_each(?))");
            delete.setString(1, seqs.toString());
            transaction.rowStep();
            require(rows, delete.executeUpdate(), table);
        }
        return new Dropped(rows, bytes);
    }

    static Forgotten forgetReceipts(WriteTransaction transaction, ProjectId project) throws SQLException {
        List<byte[]> uuids = new ArrayList<>(ROWS_MAX);
        long unproven = 0;
        PreparedStatement select = transaction.statement(RECEIPTS);
        select.setLong(1, project.value());
        select.setInt(2, ROWS_MAX);
        try (ResultSet row = select.executeQuery()) {
            while (row.next()) {
                uuids.add(row.getBytes(1));
                unproven += row.getInt(2);
            }
        }
        delete(transaction, DELETE_RECEIPT, project, uuids);
        return new Forgotten(uuids.size(), unproven);
    }

    static int forgetHeads(WriteTransaction transaction, ProjectId project) throws SQLException {
        List<byte[]> uuids = new ArrayList<>(ROWS_MAX);
        PreparedStatement select = transaction.statement(HEADS);
        select.setLong(1, project.value());
        select.setInt(2, ROWS_MAX);
        try (ResultSet row = select.executeQuery()) {
            while (row.next()) {
                uuids.add(row.getBytes(1));
            }
        }
        delete(transaction, DELETE_HEAD, project, uuids);
        return uuids.size();
    }

    static int deleteTokens(WriteTransaction transaction, ProjectId project) throws SQLException {
        PreparedStatement delete = transaction.statement(DELETE_TOKENS);
        delete.setLong(1, project.value());
        delete.setInt(2, ROWS_MAX);
        transaction.rowStep();
        return delete.executeUpdate();
    }

    /** Foreign keys refuse it while any other table has a row of the project. */
    static void deleteProject(WriteTransaction transaction, ProjectId project) throws SQLException {
        moveCursorOut(transaction, project);
        PreparedStatement delete = transaction.statement(DELETE_PROJECT);
        delete.setLong(1, project.value());
        transaction.rowStep();
        require(1, delete.executeUpdate(), "projects");
    }

    /** The search for unproven receipts goes on where it was, by a place that is not the project's. */
    static void moveCursorOut(WriteTransaction transaction, ProjectId project) throws SQLException {
        for (String sql : List.of(CURSOR_BACK, CURSOR_TO_START)) {
            PreparedStatement move = transaction.statement(sql);
            move.setLong(1, project.value());
            transaction.rowStep();
            move.executeUpdate();
        }
    }

    private static void delete(WriteTransaction transaction, String sql, ProjectId project, List<byte[]> uuids)
            throws SQLException {
        if (uuids.isEmpty()) {
            return;
        }
        PreparedStatement delete = transaction.statement(sql);
        transaction.rowStep();
        for (byte[] uuid : uuids) {
            delete.setLong(1, project.value());
            delete.setBytes(2, uuid);
            require(1, delete.executeUpdate(), "the project's rows");
        }
    }

    private static void require(int wanted, int deleted, String table) {
        if (deleted != wanted) {
            throw new IllegalStateException(deleted + " rows left " + table + ", " + wanted + " were found in it");
        }
    }

    record Dropped(int rows, long bytes) {}

    record Forgotten(int receipts, long unproven) {}
}
