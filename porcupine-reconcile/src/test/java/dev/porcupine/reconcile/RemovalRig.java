package dev.porcupine.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.EraseResult;
import dev.porcupine.history.History;
import dev.porcupine.history.InsertResult;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.history.Verification;
import dev.porcupine.history.VerifiedSource;
import dev.porcupine.ledger.AbsenceProof;
import dev.porcupine.ledger.AcceptResult;
import dev.porcupine.ledger.DeliveryBarrier;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LedgerSettings;
import dev.porcupine.ledger.LookupLease;
import dev.porcupine.ledger.QueuedEvent;
import dev.porcupine.ledger.Removal;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.schema.Ticker;
import dev.porcupine.testkit.ManualTicker;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Both stores, what a delivery does between them, and the pass that removes projects. */
final class RemovalRig implements AutoCloseable {

    private static final int PASSES_MAX = 1_000;

    final Path dataDir;
    final long limit;
    final History history;
    final ManualTicker ticker = new ManualTicker();
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    Ledger ledger;
    SourceWatch watch;
    RemovalPass pass;

    /**
     * @param opened given this rig, whose ledger it may ask later
     */
    RemovalRig(Path dataDir, long limit, Function<RemovalRig, History> opened) {
        this.dataDir = dataDir;
        this.limit = limit;
        this.history = opened.apply(this);
        restart();
    }

    /** What a process start finds. */
    void restart() {
        if (ledger != null) {
            ledger.close();
        }
        ledger = Ledger.open(new LedgerSettings(dataDir, 100_000, 1L << 30, limit), InstantSource.system(), ticker);
        watch = new SourceWatch(history, Ticker.system());
        pass = new RemovalPass(ledger, history, watch, new RemovalMetrics(meters, ledger));
    }

    ProjectId project(String name) {
        return ledger.projects().create(name).project().id();
    }

    List<Event> accept(ProjectId project, int count) {
        List<Event> events = IntStream.range(0, count)
                .mapToObj(n -> Event.original(
                        new EventIdentity(project, EventUuid.of(UUID.randomUUID())),
                        "e" + n,
                        "user",
                        1_796_000_000_000_000L + n,
                        1_796_000_000_000L,
                        "{}".getBytes(StandardCharsets.UTF_8)))
                .toList();
        Set<EventUuid> uuids =
                events.stream().map(event -> event.identity().uuid()).collect(Collectors.toSet());
        try (LookupLease lease = ledger.localRecord().lease(project, uuids).orElseThrow()) {
            assertThat(ledger.acceptance()
                            .accept(events, new AbsenceProof.HistoryAsked(lease, uuids), Duration.ofSeconds(10)))
                    .isInstanceOf(AcceptResult.Committed.class);
        }
        return events;
    }

    List<QueuedEvent> queued() {
        return ledger.queue().oldest(100_000, Long.MAX_VALUE);
    }

    void deliver() {
        try (DeliveryBarrier.Carrier carrier = ledger.deliveries().enter()) {
            carry(queued());
            carrier.allClear();
        }
    }

    void carry(List<QueuedEvent> batch) {
        insert(batch.stream().map(QueuedEvent::event).toList());
        ledger.queue().settle(batch, source().identity());
    }

    void insert(List<Event> events) {
        assertThat(history.insert(source(), events)).isEqualTo(new InsertResult.Acknowledged());
    }

    VerifiedSource source() {
        Verification verification = watch.fresh();
        assertThat(verification).isInstanceOf(Verification.Verified.class);
        return ((Verification.Verified) verification).source();
    }

    /** Passes until nothing is to be removed; waits cost no time. */
    void removeAll() {
        for (int n = 0; n < PASSES_MAX; n++) {
            switch (pass.run()) {
                case RemovalOutcome.Idle() -> {
                    return;
                }
                case RemovalOutcome.Progressed() -> {}
                case RemovalOutcome.Waiting(Duration atLeast, String _) -> ticker.advance(atLeast);
                case RemovalOutcome.Stalled(String reason) -> throw new AssertionError("stalled: " + reason);
            }
        }
        throw new AssertionError("not removed after " + PASSES_MAX + " passes");
    }

    void assertGone(ProjectId project) {
        assertThat(history.erasure().look(source(), project)).isEqualTo(new EraseResult.Empty());
        assertThat(ledger.removals().find(project)).map(Removal::done).contains(true);
        assertThat(rows("select m.name from sqlite_master as m, pragma_table_info(m.name) as c where m.type = 'table'"
                        + " and c.name = 'project_id' and m.name != 'project_removals'"))
                .isNotEmpty()
                .allSatisfy(
                        table -> assertThat(rows("select project_id from " + table + " where project_id = " + project))
                                .as(table)
                                .isEmpty());
        assertThat(rows("select id from projects where id = " + project)).isEmpty();
        assertCountersHold();
    }

    void assertCountersHold() {
        assertThat(rows("""
                select
                    (select count(*) from event_queue) || ' ' || (select count(*) from event_quarantine) || ' '
                    || (select count(*) from event_receipts) || ' '
                    || (select count(*) from event_receipts where provenance is null)
                """))
                .containsExactly(ledger.status().queueEvents() + " "
                        + ledger.status().quarantined() + " " + ledger.status().receipts() + " "
                        + ledger.status().unprovenReceipts());
    }

    /** Past the ledger's API; the first column. */
    List<String> rows(String sql) {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + dataDir.resolve("ledger.db"));
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<String> rows = new ArrayList<>();
            while (row.next()) {
                rows.add(row.getString(1));
            }
            return rows;
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    @Override
    public void close() {
        ledger.close();
        history.close();
    }
}
