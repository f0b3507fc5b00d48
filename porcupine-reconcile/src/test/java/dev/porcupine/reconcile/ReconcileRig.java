package dev.porcupine.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.ClickHouseSettings;
import dev.porcupine.history.Histories;
import dev.porcupine.history.History;
import dev.porcupine.history.InsertResult;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.history.Verification;
import dev.porcupine.history.VerifiedSource;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LedgerSettings;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.schema.Ticker;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.ManualTicker;
import dev.porcupine.testkit.SharedClickHouse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** A ledger as an old release left it: receipts over several projects, none with a provenance. */
final class ReconcileRig implements AutoCloseable {

    /** Passes after which a ledger that has not converged never will. */
    private static final int PASSES_MAX = 20_000;

    final Path dataDir;
    final History history;
    final ManualTicker ticker = new ManualTicker();
    final List<ProjectId> projects = new ArrayList<>();
    Ledger ledger;
    SourceWatch watch;
    ReconcilePass pass;

    ReconcileRig(Path dataDir, History history, int projectCount, int receipts, long limit) {
        this.dataDir = dataDir;
        this.history = history;
        try (Ledger first = ledger(0)) {
            for (int i = 0; i < projectCount; i++) {
                projects.add(first.projects().create("p" + i).project().id());
            }
        }
        writeOldReceipts(receipts);
        this.ledger = ledger(limit);
        this.watch = watch();
        this.pass = pass();
    }

    static History clickHouse() {
        return clickHouse(SharedClickHouse.endpoint().url());
    }

    /**
     * @param url of the server, or of a proxy before it
     */
    static History clickHouse(URI url) {
        ClickHouseEndpoint server = SharedClickHouse.endpoint();
        return Histories.clickHouse(
                new ClickHouseSettings(
                        url,
                        SharedClickHouse.freshDatabase(),
                        "events",
                        server.user(),
                        server.password(),
                        null,
                        null,
                        null),
                new SimpleMeterRegistry());
    }

    /** The n-th old event; its project goes round. */
    Event event(int number) {
        ProjectId project = projects.get(number % projects.size());
        long mixed = (number + 1L) * 0x9E37_79B9_7F4A_7C15L;
        return Event.original(
                new EventIdentity(project, new EventUuid(mixed ^ mixed >>> 29, number)),
                "old",
                "user",
                1_700_000_000_000_000L + number,
                1_700_000_000_000L,
                "{}".getBytes(StandardCharsets.UTF_8));
    }

    /** What delivery once did, before receipts knew of history. */
    void putIntoHistory(int from, int to) {
        VerifiedSource source = ((Verification.Verified) watch.current()).source();
        for (int start = from; start < to; start += 20_000) {
            List<Event> events = new ArrayList<>();
            for (int n = start; n < Math.min(to, start + 20_000); n++) {
                events.add(event(n));
            }
            assertThat(history.insert(source, events)).isInstanceOf(InsertResult.Acknowledged.class);
        }
    }

    /** Passes until one says that there is nothing to do, or that a whole round proved nothing. */
    ReconcileOutcome passUntilQuiet() {
        for (int n = 0; n < PASSES_MAX; n++) {
            ReconcileOutcome outcome = pass.run();
            assertThat(outcome).isNotInstanceOf(ReconcileOutcome.Stalled.class);
            boolean fruitless = outcome instanceof ReconcileOutcome.RoundDone(long proven, long missing) && proven == 0;
            if (outcome instanceof ReconcileOutcome.Idle || fruitless) {
                return outcome;
            }
        }
        throw new AssertionError("not quiet after " + PASSES_MAX + " passes");
    }

    void restart(long limit) {
        ledger.close();
        ledger = ledger(limit);
        watch = watch();
        pass = pass();
    }

    private ReconcilePass pass() {
        return new ReconcilePass(ledger, history, watch, ticker);
    }

    private SourceWatch watch() {
        SourceWatch fresh = new SourceWatch(history, Ticker.system());
        fresh.look();
        return fresh;
    }

    private Ledger ledger(long limit) {
        return Ledger.open(new LedgerSettings(dataDir, 1_000_000, 1L << 30, limit), InstantSource.system());
    }

    private void writeOldReceipts(int count) {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + dataDir.resolve("ledger.db"))) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement(
                    "insert into event_receipts (project_id, uuid, received_at) values (?, ?, 1700000000000)")) {
                for (int n = 0; n < count; n++) {
                    EventIdentity identity = event(n).identity();
                    insert.setLong(1, identity.project().value());
                    insert.setBytes(2, identity.uuid().toBytes());
                    insert.addBatch();
                }
                insert.executeBatch();
            }
            try (PreparedStatement state = connection.prepareStatement(
                    "update ledger_state set receipts = receipts + ?, unproven_receipts = unproven_receipts + ?")) {
                state.setInt(1, count);
                state.setInt(2, count);
                state.executeUpdate();
            }
            connection.commit();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        ledger.close();
        history.close();
    }
}
