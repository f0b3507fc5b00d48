package dev.porcupine.history;

import com.clickhouse.client.api.ServerException;
import com.clickhouse.jdbc.DataSourceImpl;
import dev.porcupine.history.Verification.Refused;
import dev.porcupine.history.Verification.Verified;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * Looks at the events table over JDBC, creates it on first use, and says whether it can be trusted.
 *
 * <p>The JDBC driver knows no total deadline, and its query timeout doesn't stop a query. So each look runs on a virtual thread of
 * its own: interrupting one that is blocked on a socket closes the socket, which ends the look at once. At most one look runs at a
 * time.
 *
 * <p>A table is created only until this process has once found one: if it vanishes later, an empty one in its place would hide
 * that history is gone.
 */
final class ClickHouseSource implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ClickHouseSource.class);

    private static final String ENGINE = "ReplacingMergeTree";
    private static final String SORTING_KEY = "project_id, uuid";

    /** All of them keep every revision of an event in one partition, as the received time never changes. */
    private static final Set<String> PARTITION_KEYS = Set.of("toYYYYMM(received_at)", "toYear(received_at)", "");

    private static final String SELECT_TABLE = """
            select toString(uuid) as uuid, engine, engine_full, sorting_key, partition_key
            from system.tables
            where database = :database and name = :table
            """;

    private static final String SELECT_COLUMNS = """
            select name, type
            from system.columns
            where database = :database and table = :table
            """;

    private static final String SELECT_DATABASE = "select count() from system.databases where name = :database";

    private static final String SELECT_SETTINGS = "select name from system.settings where name in (:names)";

    private final ClickHouseTable table;
    private final Duration deadline;
    private final Collection<String> settingsNeeded;
    private final String jdbcUrl;
    private final Properties login;
    private final Semaphore looking = new Semaphore(1);
    private final AtomicBoolean found = new AtomicBoolean();
    private final AtomicBoolean toldOfColdStorage = new AtomicBoolean();
    private volatile boolean closed;

    /**
     * @param settingsNeeded the names of all settings that inserts and reads state
     */
    ClickHouseSource(
            ClickHouseSettings settings,
            ClickHouseTable table,
            ClickHouseDeadlines deadlines,
            Collection<String> settingsNeeded) {
        this.table = table;
        this.deadline = deadlines.verify();
        this.settingsNeeded = List.copyOf(settingsNeeded);
        // The database "system" exists on every server; the configured one may have yet to be created.
        this.jdbcUrl = "jdbc:clickhouse:" + settings.url() + "/system";
        this.login = new Properties();
        login.setProperty("user", settings.username());
        login.setProperty("password", settings.password());
        login.setProperty("connection_timeout", "3000");
        login.setProperty("socket_timeout", Long.toString(deadline.toMillis()));
        login.setProperty("retry", "0");
        login.setProperty("client_retry_on_failures", "None");
        login.setProperty("compress", "false");
        ReadSettings.METADATA.forEach((name, value) -> {
            // The look also creates the table, and a user who may not set this would lose the look for nothing.
            if (!name.equals("readonly")) {
                login.setProperty("clickhouse_setting_" + name, value);
            }
        });
    }

    /** Blocks until the verdict or the deadline. */
    Verification verify() {
        if (closed) {
            return refused("history_closed", "the history was closed");
        }
        long end = System.nanoTime() + deadline.toNanos();
        FutureTask<Verification> look = new FutureTask<>(this::look);
        try {
            if (!looking.tryAcquire(deadline.toNanos(), TimeUnit.NANOSECONDS)) {
                return refused("clickhouse_unreachable", "the look before this one has not ended yet");
            }
            Thread.ofVirtual().name("clickhouse-verify").start(() -> {
                try {
                    look.run();
                } finally {
                    looking.release();
                }
            });
            return look.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            look.cancel(true);
            return refused(
                    "clickhouse_unreachable",
                    "ClickHouse gave no complete answer about " + table.qualified() + " within " + deadline.toMillis()
                            + " ms");
        } catch (InterruptedException e) {
            look.cancel(true);
            Thread.currentThread().interrupt();
            return refused("clickhouse_unreachable", "interrupted while waiting for ClickHouse");
        } catch (ExecutionException e) {
            return ofFailure(e.getCause() == null ? e : e.getCause());
        }
    }

    @Override
    public void close() {
        closed = true;
    }

    private Verification look() throws SQLException {
        try (Connection connection = new DataSourceImpl(jdbcUrl, login).getConnection()) {
            JdbcClient client = JdbcClient.create(new SingleConnectionDataSource(connection, true));
            Optional<TableFacts> facts = facts(client);
            if (facts.isEmpty() && !found.get()) {
                create(client);
                facts = facts(client);
            }
            if (facts.isEmpty()) {
                return refused(
                        "source_table_missing",
                        "wanted the table " + table.qualified()
                                + ", found none that this user can see. Was it dropped or"
                                + " renamed, or a right taken away? Put it back; restarting instead begins an empty history");
            }
            List<Finding> findings = new ArrayList<>(findings(facts.get()));
            findings.addAll(columnFindings(client));
            findings.addAll(settingFindings(client));
            if (!findings.isEmpty()) {
                return new Refused(findings);
            }
            found.set(true);
            tellOfColdStorage(facts.get());
            return new Verified(new VerifiedSource(UUID.fromString(facts.get().uuid())));
        }
    }

    private Optional<TableFacts> facts(JdbcClient client) {
        return client.sql(SELECT_TABLE)
                .param("database", table.database())
                .param("table", table.name())
                .query((row, index) -> new TableFacts(
                        row.getString("uuid"),
                        row.getString("engine"),
                        row.getString("engine_full"),
                        row.getString("sorting_key"),
                        row.getString("partition_key")))
                .optional();
    }

    private void create(JdbcClient client) {
        long databases = client.sql(SELECT_DATABASE)
                .param("database", table.database())
                .query(Long.class)
                .single();
        if (databases == 0) {
            client.sql(table.createDatabase()).update();
        }
        client.sql(table.createTable()).update();
        LOG.info("Created the history's table {} in ClickHouse", table.qualified());
    }

    private List<Finding> findings(TableFacts facts) {
        List<Finding> findings = new ArrayList<>();
        if (!facts.engine().equals(ENGINE) || !facts.engineFull().startsWith(ENGINE + "(revision) ")) {
            findings.add(new Finding(
                    "source_wrong_engine",
                    "wanted " + table.qualified() + " to be " + ENGINE + "(revision), found " + facts.engineShort()
                            + "; another engine may drop rows or keep an older revision"));
        }
        if (!facts.sortingKey().equals(SORTING_KEY)) {
            findings.add(new Finding(
                    "source_wrong_sorting_key",
                    "wanted " + table.qualified() + " ordered by (" + SORTING_KEY + "), found (" + facts.sortingKey()
                            + ")"));
        }
        if (!PARTITION_KEYS.contains(facts.partitionKey())) {
            findings.add(new Finding(
                    "source_wrong_partition_key",
                    "wanted " + table.qualified() + " partitioned by one of " + PARTITION_KEYS + ", found "
                            + facts.partitionKey()));
        }
        if (facts.uuid().equals("00000000-0000-0000-0000-000000000000")) {
            findings.add(new Finding(
                    "source_without_uuid",
                    "wanted a database engine that gives tables a UUID, such as Atomic, but " + table.qualified()
                            + " has none, so a table put in its place could not be noticed"));
        }
        return findings;
    }

    private List<Finding> columnFindings(JdbcClient client) {
        Map<String, String> types = new HashMap<>();
        client.sql(SELECT_COLUMNS)
                .param("database", table.database())
                .param("table", table.name())
                .query(row -> {
                    types.put(row.getString("name"), row.getString("type"));
                });
        return ClickHouseTable.COLUMNS.stream()
                .filter(column -> !column.type().equals(types.get(column.name())))
                .map(column -> new Finding(
                        "source_wrong_column",
                        "wanted a column " + column.name() + " of type " + column.type() + " in " + table.qualified()
                                + ", found " + types.getOrDefault(column.name(), "none")))
                .toList();
    }

    private List<Finding> settingFindings(JdbcClient client) {
        Set<String> missing = new TreeSet<>(settingsNeeded);
        missing.removeAll(client.sql(SELECT_SETTINGS)
                .param("names", settingsNeeded)
                .query(String.class)
                .list());
        return missing.isEmpty()
                ? List.of()
                : List.of(new Finding(
                        "clickhouse_too_old",
                        "wanted a ClickHouse that knows the settings on which exact writes and reads rest, but this one"
                                + " lacks " + missing + "; upgrade it"));
    }

    /** Said, not refused: where parts lie changes no answer, and moving a large table is the operator's to time. */
    private void tellOfColdStorage(TableFacts facts) {
        String ttl = table.moveTtl();
        if (ttl != null && !facts.engineFull().contains("TTL " + ttl) && toldOfColdStorage.compareAndSet(false, true)) {
            LOG.warn(
                    "Cold storage is configured, but {} was created without it, so nothing moves. To apply it run:"
                            + " ALTER TABLE {} MODIFY SETTING storage_policy = '<policy>'; ALTER TABLE {} MODIFY TTL {}",
                    table.qualified(),
                    table.qualified(),
                    table.qualified(),
                    ttl);
        }
    }

    private static Verification ofFailure(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ServerException server) {
                String code = switch (server.getCode()) {
                    case 192, 193, 194, 516 -> "clickhouse_login_refused";
                    case 497 -> "clickhouse_access_denied";
                    default -> "clickhouse_refused";
                };
                return refused(code, "ClickHouse answered with error " + server.getCode() + ": " + server.getMessage());
            }
        }
        boolean expected = failure instanceof SQLException || failure instanceof DataAccessException;
        if (!expected) {
            LOG.warn("Looking at ClickHouse failed unexpectedly", failure);
        }
        Throwable deepest = failure;
        while (deepest.getCause() != null) {
            deepest = deepest.getCause();
        }
        return refused("clickhouse_unreachable", "no understandable answer from ClickHouse: " + deepest);
    }

    private static Verification refused(String code, String detail) {
        return new Refused(List.of(new Finding(code, detail)));
    }

    private record TableFacts(String uuid, String engine, String engineFull, String sortingKey, String partitionKey) {

        /** Without the settings and keys that follow. */
        String engineShort() {
            int end = engineFull.indexOf(' ');
            return end < 0 ? engineFull : engineFull.substring(0, end);
        }
    }
}
