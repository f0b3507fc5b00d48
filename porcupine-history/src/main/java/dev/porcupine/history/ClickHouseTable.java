package dev.porcupine.history;

import dev.porcupine.schema.EventIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The events table: its name, the statements that create it and the columns that it must have. The statements' text lives in
 * {@code porcupine-schema}. Names come from {@link ClickHouseSettings}, whose allow-list makes quoting safe.
 */
final class ClickHouseTable {

    /** What the table's readers and writers rely on. The order is the order in which rows are written. */
    static final List<Column> COLUMNS = List.of(
            new Column("project_id", "UInt64"),
            new Column("uuid", "UUID"),
            new Column("revision", "UInt64"),
            new Column("is_deleted", "UInt8"),
            new Column("event", "String"),
            new Column("distinct_id", "String"),
            new Column("timestamp_micros", "Int64"),
            new Column("received_at", "DateTime64(3, 'UTC')"),
            new Column("properties", "String"));

    /** Of the table of ledgers' marks, each with its type; none is computed. */
    static final Map<String, String> LEDGERS_COLUMNS = Map.of(
            "ledger_id", "UUID",
            "epoch", "UUID",
            "accepted_seq", "SimpleAggregateFunction(max, UInt64)",
            "first_at", "SimpleAggregateFunction(min, DateTime64(3, 'UTC'))",
            "last_at", "SimpleAggregateFunction(max, DateTime64(3, 'UTC'))");

    private final ClickHouseSettings settings;

    ClickHouseTable(ClickHouseSettings settings) {
        this.settings = settings;
    }

    String database() {
        return settings.database();
    }

    String name() {
        return settings.table();
    }

    /** Quoted and qualified, for SQL. */
    String qualified() {
        return "`" + database() + "`.`" + name() + "`";
    }

    /** Of the table beside it, in which ledgers leave their marks. */
    String ledgersName() {
        return name() + "_ledgers";
    }

    /** The same, quoted and qualified. */
    String ledgers() {
        return "`" + database() + "`.`" + ledgersName() + "`";
    }

    String createLedgers() {
        return resource("create-ledgers.sql").replace("${table}", ledgers());
    }

    String createDatabase() {
        return resource("create-database.sql").replace("${database}", "`" + database() + "`");
    }

    String createTable() {
        String policy = settings.storagePolicy();
        return resource("create-events.sql")
                .replace("${table}", qualified())
                .replace("${ttl}", moveTtl() == null ? "" : "ttl " + moveTtl())
                .replace("${policy}", policy == null ? "" : ",\n    storage_policy = '" + policy + "'");
    }

    /** The only TTL that the deployment sets: it moves parts and deletes nothing (P43, P57). */
    @Nullable String moveTtl() {
        if (settings.coldAfter() == null) {
            return null;
        }
        return "toDateTime(received_at) + toIntervalSecond("
                + settings.coldAfter().toSeconds() + ") TO VOLUME '" + settings.coldVolume() + "'";
    }

    private static String resource(String name) {
        try (InputStream text = EventIdentity.class.getResourceAsStream("/clickhouse/" + name)) {
            if (text == null) {
                throw new IllegalStateException("porcupine-schema holds no clickhouse/" + name);
            }
            return new String(text.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A column and its type as ClickHouse spells it. */
    record Column(String name, String type) {}
}
