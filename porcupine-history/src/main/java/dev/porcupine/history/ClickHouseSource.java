package dev.porcupine.history;

import com.clickhouse.jdbc.DataSourceImpl;
import dev.porcupine.history.Verification.Refused;
import dev.porcupine.history.Verification.Verified;
import dev.porcupine.schema.LedgerLineage;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.SourceIdentity;
import dev.porcupine.schema.Ticker;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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
 * that history is gone. With a pin it is never created.
 */
final class ClickHouseSource implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ClickHouseSource.class);

    private static final String SELECT_DATABASE = "select count() from system.databases where name = :database";

    private final ClickHouseTable table;
    private final ClickHouseSettings settings;
    private final String fingerprint;
    private final Duration deadline;
    private final Supplier<Reliance> reliance;
    private final SourceAuthority authority;
    private final SourceReader reader;
    private final SourceRules rules;
    private final ClickHouseMarks marks;
    private final LedgerRule ledgerRule;
    private final @Nullable LedgerLineage ledger;
    private final String jdbcUrl;
    private final Properties login;
    private final Semaphore looking = new Semaphore(1);
    private final AtomicBoolean found = new AtomicBoolean();
    private volatile boolean closed;

    /**
     * @param settingsNeeded the names of all settings that inserts and reads state
     * @param reliance asked at each look
     * @param ledger compared with the marks at each look; null where no ledger is
     */
    ClickHouseSource(
            ClickHouseSettings settings,
            ClickHouseTable table,
            ClickHouseDeadlines deadlines,
            Set<String> settingsNeeded,
            Supplier<Reliance> reliance,
            ClickHouseMarks marks,
            @Nullable LedgerLineage ledger,
            OwnRemovals removals) {
        this.table = table;
        this.settings = settings;
        this.fingerprint = settings.fingerprint();
        this.deadline = deadlines.verify();
        this.reliance = reliance;
        this.authority = new SourceAuthority(table);
        this.reader = new SourceReader(table, settingsNeeded, ledger, removals);
        this.rules = new SourceRules(table.qualified(), settingsNeeded, removals);
        this.marks = marks;
        this.ledgerRule = new LedgerRule(table.qualified(), new StirringEpochs(Ticker.system()));
        this.ledger = ledger;
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
            return refused(FindingCode.HISTORY_CLOSED, "the history was closed");
        }
        long end = System.nanoTime() + deadline.toNanos();
        FutureTask<Verification> look = new FutureTask<>(this::look);
        try {
            if (!looking.tryAcquire(deadline.toNanos(), TimeUnit.NANOSECONDS)) {
                return refused(FindingCode.CLICKHOUSE_UNREACHABLE, "the look before this one has not ended yet");
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
                    FindingCode.CLICKHOUSE_UNREACHABLE,
                    "ClickHouse gave no complete answer about " + table.qualified() + " within " + deadline.toMillis()
                            + " ms");
        } catch (InterruptedException e) {
            look.cancel(true);
            Thread.currentThread().interrupt();
            return refused(FindingCode.CLICKHOUSE_UNREACHABLE, "interrupted while waiting for ClickHouse");
        } catch (ExecutionException e) {
            return new Refused(List.of(SourceFailure.finding(e.getCause() == null ? e : e.getCause(), settings)));
        }
    }

    @Override
    public void close() {
        closed = true;
    }

    private Verification look() throws SQLException {
        try (Connection connection = new DataSourceImpl(jdbcUrl, login).getConnection()) {
            JdbcClient client = JdbcClient.create(new SingleConnectionDataSource(connection, true));
            List<Finding> blind = authority.findings(client);
            if (!blind.isEmpty()) {
                return new Refused(blind);
            }
            Reliance relied = reliance.get();
            boolean there = reader.tableIsThere(client);
            if (!there && relied != Reliance.PINNED && !found.get()) {
                create(client);
                there = true;
            }
            if (there) {
                marks.createIfMissing(client);
            }
            Optional<String> stamp = there ? reader.stamp(client) : Optional.empty();
            // After the stamp: what changes from here on gives another one, and so is noticed by whoever uses this
            // look.
            Optional<SourceFacts> facts = reader.read(client);
            if (stamp.isEmpty() || facts.isEmpty()) {
                return refused(
                        FindingCode.SOURCE_TABLE_MISSING,
                        "wanted the table " + table.qualified() + ", found none. Was it dropped or renamed? It is not"
                                + " made anew, because an empty one would forget what was accepted: put it back");
            }
            SourceRules.Judgement judgement = rules.judge(facts.get(), relied);
            List<Finding> refusing = new ArrayList<>(judgement.refusing());
            List<Finding> warnings = new ArrayList<>(judgement.warnings());
            MarksSeen seen = compare(client, relied, refusing, warnings);
            if (!refusing.isEmpty()) {
                return new Refused(refusing);
            }
            found.set(true);
            UUID tableUuid = UUID.fromString(facts.get().table().uuid());
            return new Verified(
                    new VerifiedSource(new SourceIdentity(tableUuid, fingerprint), stamp.get(), warnings, seen));
        }
    }

    /**
     * Holds the ledger against history's marks.
     */
    private MarksSeen compare(JdbcClient client, Reliance relied, List<Finding> refusing, List<Finding> warnings) {
        List<Finding> unfit = marks.findings(client);
        refusing.addAll(unfit);
        LedgerLineage own = ledger;
        if (own == null || !unfit.isEmpty()) {
            return MarksSeen.NONE;
        }
        // The marks before the ledger: each was on the ledger's disk before it was made, so a healthy one can only be
        // further by now.
        List<KeptMark> kept = marks.read(client);
        LedgerRule.Judgement judgement;
        try {
            judgement = ledgerRule.judge(kept, own.ledger(), own.epoch(), own.acceptedByEpoch());
        } catch (ProblemException e) {
            refusing.add(
                    FindingCode.LEDGER_UNREADABLE.finding(
                            e.detail()
                                    + ", so it can't be compared with what history knows of it. Look at the disk of the data directory"));
            return MarksSeen.NONE;
        }
        refusing.addAll(judgement.forked());
        // While every receipt stays in the ledger, which others use the table is the operator's affair.
        (relied == Reliance.NONE ? warnings : refusing).addAll(judgement.foreign());
        return MarksSeen.of(kept, own);
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

    private static Verification refused(FindingCode code, String detail) {
        return new Refused(List.of(code.finding(detail)));
    }
}
