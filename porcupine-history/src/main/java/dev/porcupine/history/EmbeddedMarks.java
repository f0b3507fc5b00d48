package dev.porcupine.history;

import dev.porcupine.schema.LedgerMark;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Ledgers' marks in {@code history.db}: one row a process. Times are the file's own, as SQLite tells them. */
final class EmbeddedMarks {

    private static final String SELECT =
            "select ledger_id, epoch, accepted_seq, first_at_millis, last_at_millis from ledger_marks";

    private static final String UPSERT = """
            insert into ledger_marks (ledger_id, epoch, accepted_seq, first_at_millis, last_at_millis)
            values (?1, ?2, ?3, cast(unixepoch('subsec') * 1000 as integer), cast(unixepoch('subsec') * 1000 as integer))
            on conflict (ledger_id, epoch) do update set
                accepted_seq = max(accepted_seq, excluded.accepted_seq),
                last_at_millis = max(last_at_millis, excluded.last_at_millis)
            """;

    private EmbeddedMarks() {}

    static List<KeptMark> read(Connection connection) throws SQLException {
        List<KeptMark> marks = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(SELECT);
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                marks.add(new KeptMark(
                        UUID.fromString(row.getString(1)),
                        UUID.fromString(row.getString(2)),
                        row.getLong(3),
                        row.getLong(4),
                        row.getLong(5)));
            }
        }
        return marks;
    }

    /** In the open transaction. */
    static void write(Connection connection, LedgerMark mark) throws SQLException {
        try (PreparedStatement upsert = connection.prepareStatement(UPSERT)) {
            upsert.setString(1, mark.ledger().toString());
            upsert.setString(2, mark.epoch().toString());
            upsert.setLong(3, mark.acceptedSeq());
            upsert.executeUpdate();
        }
    }
}
