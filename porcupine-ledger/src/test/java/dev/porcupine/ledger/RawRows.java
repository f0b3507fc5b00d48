package dev.porcupine.ledger;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The ledger's file seen past the ledger: what no API shows, and rows that no API makes yet. */
final class RawRows {

    private RawRows() {}

    /** Changes rows through the writer, as a task of its own. */
    static void in(Ledger ledger, String sql) {
        ledger.writer()
                .solo(1, transaction -> transaction.jdbc().sql(sql).update())
                .orThrow();
    }

    static List<String> query(Path dataDir, String sql) {
        try (Connection connection =
                        DriverManager.getConnection("jdbc:sqlite:" + dataDir.resolve(LedgerFile.FILE_NAME));
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<String> rows = new ArrayList<>();
            int columns = row.getMetaData().getColumnCount();
            while (row.next()) {
                StringBuilder text = new StringBuilder();
                for (int i = 1; i <= columns; i++) {
                    text.append(i == 1 ? "" : "|").append(row.getString(i));
                }
                rows.add(text.toString());
            }
            return rows;
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    /** The status as the rows have it, whatever the counters say. */
    static LedgerStatus counted(Ledger ledger) {
        LedgerStatus status = ledger.status();
        return ledger.writer()
                .solo(
                        1,
                        transaction -> transaction
                                .jdbc()
                                .sql("""
                                select
                                    (select count(*) from event_receipts),
                                    (select count(*) from event_receipts where provenance is null),
                                    (select count(*) from event_queue), (select coalesce(sum(bytes), 0) from event_queue),
                                    (select count(*) from event_quarantine), (select count(*) from mutation_heads)
                                """)
                                .query((row, number) -> new LedgerStatus(
                                        row.getLong(1),
                                        row.getLong(2),
                                        status.evictedReceipts(),
                                        status.complete(),
                                        row.getLong(3),
                                        row.getLong(4),
                                        status.queueEventsMax(),
                                        status.queueBytesMax(),
                                        row.getLong(5),
                                        row.getLong(6)))
                                .single())
                .orThrow();
    }
}
