package dev.porcupine.history;

import dev.porcupine.history.HttpOutcome.Broken;
import dev.porcupine.history.HttpOutcome.Complete;
import dev.porcupine.history.HttpOutcome.Refused;
import dev.porcupine.schema.LedgerMark;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The table of ledgers' marks beside the events table: one row a process, when merges have been. Reads always aggregate, so that merges
 * are never waited for.
 */
final class ClickHouseMarks {

    private static final Logger LOG = LoggerFactory.getLogger(ClickHouseMarks.class);

    private static final int RESPONSE_BYTES_MAX = 64 * 1024;

    private static final String EXISTS =
            "select count() from system.tables where database = :database and name = :name";

    private static final String DEFINITION = """
            select engine_full from system.tables where database = :database and name = :name
            """;

    private static final String COLUMNS = """
            select name, type, default_kind from system.columns where database = :database and table = :name
            """;

    private static final String POLICIES = """
            select count() from system.row_policies where database = :database and table = :name
            """;

    private static final String MARKS = """
            select ledger_id, epoch, max(accepted_seq), toUnixTimestamp64Milli(min(first_at)), toUnixTimestamp64Milli(max(last_at))
            from ${table}
            group by ledger_id, epoch
            """;

    private static final String INSERT = """
            insert into ${table} (ledger_id, epoch, accepted_seq, first_at, last_at)
            select toUUID('${ledger}'), toUUID('${epoch}'), toUInt64(${seq}), now64(3, 'UTC'), now64(3, 'UTC')
            """;

    private static final String ENGINE = "AggregatingMergeTree ORDER BY (ledger_id, epoch) SETTINGS ";

    private final ClickHouseTable table;
    private final ClickHouseHttp http;
    private final Duration deadline;

    ClickHouseMarks(ClickHouseTable table, ClickHouseHttp http, Duration deadline) {
        this.table = table;
        this.http = http;
        this.deadline = deadline;
    }

    /** Also beside an events table from before there were marks. */
    void createIfMissing(JdbcClient client) {
        if (about(client, EXISTS).query(Long.class).single() == 0) {
            client.sql(table.createLedgers()).update();
            LOG.info("Created the table of ledgers' marks {} in ClickHouse", table.ledgers());
        }
    }

    List<KeptMark> read(JdbcClient client) {
        return client.sql(MARKS.replace("${table}", table.ledgers()))
                .query((row, index) -> new KeptMark(
                        UUID.fromString(row.getString(1)),
                        UUID.fromString(row.getString(2)),
                        row.getLong(3),
                        row.getLong(4),
                        row.getLong(5)))
                .list();
    }

    /** None where the table is the one that Porcupine creates, whole for whoever reads it. */
    List<Finding> findings(JdbcClient client) {
        String engine = about(client, DEFINITION).query(String.class).optional().orElse("none");
        Map<String, String> columns = new HashMap<>();
        about(client, COLUMNS).query(row -> {
            columns.put(row.getString(1), row.getString(2) + row.getString(3));
        });
        long policies = about(client, POLICIES).query(Long.class).single();
        if (engine.startsWith(ENGINE) && columns.equals(ClickHouseTable.LEDGERS_COLUMNS) && policies == 0) {
            return List.of();
        }
        return List.of(FindingCode.SOURCE_WRONG_MARKS.finding("wanted " + table.ledgers()
                + " as Porcupine creates it, without row policies of its own, found " + policies + " policies, columns "
                + columns + " and the engine " + engine
                + ". What it hides or forgets can't be compared with the ledger."
                + " Put the first one back"));
    }

    MarkResult write(LedgerMark mark) {
        String sql = INSERT.replace("${table}", table.ledgers())
                .replace("${ledger}", mark.ledger().toString())
                .replace("${epoch}", mark.epoch().toString())
                .replace("${seq}", Long.toString(mark.acceptedSeq()));
        HttpOutcome outcome = http.exchange(new ClickHouseRequest(
                ClickHouseInsert.SETTINGS, BodyPublishers.ofString(sql), deadline, RESPONSE_BYTES_MAX));
        return switch (outcome) {
            case Complete complete ->
                !complete.body().hasRemaining() && complete.writtenRows().orElse(0) >= 1
                        ? new MarkResult.Acknowledged()
                        : new MarkResult.Unknown("ClickHouse doesn't say that it wrote the ledger's mark");
            case Refused refused ->
                new MarkResult.Unknown(
                        "ClickHouse refused the ledger's mark with error " + refused.code() + " " + refused.name());
            case Broken broken ->
                new MarkResult.Unknown("the ledger's mark: " + broken.reason() + ": " + broken.detail());
        };
    }

    private JdbcClient.StatementSpec about(JdbcClient client, String sql) {
        return client.sql(sql).param("database", table.database()).param("name", table.ledgersName());
    }
}
