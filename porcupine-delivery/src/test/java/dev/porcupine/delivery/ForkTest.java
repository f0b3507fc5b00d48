package dev.porcupine.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.ClickHouseSettings;
import dev.porcupine.history.Finding;
import dev.porcupine.history.Histories;
import dev.porcupine.history.InsertResult;
import dev.porcupine.history.MarkResult;
import dev.porcupine.history.Reliance;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.history.Verification;
import dev.porcupine.ledger.AbsenceProof;
import dev.porcupine.ledger.AcceptResult;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LedgerSettings;
import dev.porcupine.ledger.QueuedEvent;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuidMint;
import dev.porcupine.schema.LedgerLineage;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.ManualTicker;
import dev.porcupine.testkit.SharedClickHouse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Copies of one ledger, and ledgers on one history, with real files and a real ClickHouse. Each {@link Start} is what a start of the
 * service has; crashes are processes that are given up at the step in question.
 */
class ForkTest {

    private final ClickHouseEndpoint server = SharedClickHouse.endpoint();
    private final String database = server.freshDatabase();
    private final EventUuidMint mint = new EventUuidMint(InstantSource.system());

    @TempDir
    Path dir;

    private final class Start implements AutoCloseable {

        final Ledger ledger;
        final SteeredHistory history;
        final DeliveryPass pass;
        final SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Runnable afterLineage = () -> {};

        Start(String name, long limit) {
            ledger = Ledger.open(
                    new LedgerSettings(dir.resolve(name), 100_000, 64L << 20, limit), InstantSource.system());
            history = new SteeredHistory(Histories.clickHouse(
                    new ClickHouseSettings(
                            server.url(), database, "events", server.user(), server.password(), null, null, null),
                    meters,
                    () -> ledger.pin().pinned().isPresent()
                            ? Reliance.PINNED
                            : limit > 0 ? Reliance.COMING : Reliance.NONE,
                    new Interrupted(),
                    number -> false));
            DeliveryMetrics metrics = new DeliveryMetrics(meters, InstantSource.system());
            pass = new DeliveryPass(
                    ledger,
                    history,
                    new SourceWatch(history, new ManualTicker()),
                    DeliverySettings.defaults().withRowsMax(5),
                    metrics);
        }

        /** The ledger's own lineage, and a moment right after it was read. */
        private final class Interrupted implements LedgerLineage {

            @Override
            public UUID ledger() {
                return ledger.lineage().ledger();
            }

            @Override
            public UUID epoch() {
                return ledger.lineage().epoch();
            }

            @Override
            public Map<UUID, Long> acceptedByEpoch() {
                Map<UUID, Long> accepted = ledger.lineage().acceptedByEpoch();
                afterLineage.run();
                return accepted;
            }
        }

        void accept(int count) {
            ProjectId project = ledger.projects().create("p").project().id();
            List<Event> events = IntStream.range(0, count)
                    .mapToObj(n -> Event.original(
                            new EventIdentity(project, mint.next()),
                            "e",
                            "u",
                            1_796_000_000_000_000L,
                            1_796_000_000_000L,
                            "{}".getBytes(StandardCharsets.UTF_8)))
                    .toList();
            assertThat(ledger.acceptance().accept(events, new AbsenceProof.CompleteRecord(), Duration.ofSeconds(10)))
                    .isInstanceOf(AcceptResult.Committed.class);
        }

        void deliverAll() {
            PassOutcome outcome;
            do {
                outcome = pass.run();
                assertThat(outcome).isNotInstanceOf(PassOutcome.Stalled.class);
            } while (!(outcome instanceof PassOutcome.Idle));
        }

        List<String> codes() {
            return switch (history.verify()) {
                case Verification.Verified verified -> List.of();
                case Verification.Refused(List<Finding> findings) ->
                    findings.stream().map(Finding::code).toList();
            };
        }

        List<String> warnings() {
            Verification verification = history.verify();
            assertThat(verification).isInstanceOf(Verification.Verified.class);
            return ((Verification.Verified) verification)
                    .source().warnings().stream().map(Finding::code).toList();
        }

        @Override
        public void close() {
            ledger.close();
            history.close();
        }
    }

    /** As a backup of the file alone does, of a ledger that is open or closed. */
    private void copy(String from, String to) {
        try {
            Files.createDirectories(dir.resolve(to));
            try (Connection connection = DriverManager.getConnection(
                            "jdbc:sqlite:" + dir.resolve(from).resolve("ledger.db"));
                    Statement statement = connection.createStatement()) {
                statement.execute("vacuum into '" + dir.resolve(to).resolve("ledger.db") + "'");
            }
        } catch (IOException | SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void stale_copy_is_refused_whether_anything_rests_on_history_or_not() {
        for (long limit : new long[] {0, 3}) {
            String name = "data" + limit;
            server.query("drop table if exists " + database + ".events sync");
            server.query("drop table if exists " + database + ".events_ledgers sync");
            try (Start first = new Start(name, limit)) {
                first.accept(2);
                first.deliverAll();
            }
            copy(name, "stale" + limit);
            try (Start second = new Start(name, limit)) {
                second.accept(1);
                second.deliverAll();
                assertThat(second.codes()).isEmpty();
            }
            try (Start stale = new Start("stale" + limit, limit)) {
                assertThat(stale.codes()).as("limit %d", limit).containsExactly("ledger_stale");
                stale.accept(1);
                assertThat(stale.pass.run()).isInstanceOf(PassOutcome.Stalled.class);
                assertThat(stale.ledger.status().queueEvents()).isOne();
            }
            try (Start newest = new Start(name, limit)) {
                assertThat(newest.codes()).isEmpty();
            }
        }
    }

    /** The same process went on after the copy was made, so that the copy knows its epoch. */
    @Test
    void copy_of_a_running_ledger_is_stale_once_that_went_on() {
        try (Start running = new Start("data", 0)) {
            running.accept(2);
            running.deliverAll();
            copy("data", "copy");
            running.accept(4);
            running.deliverAll();
        }
        try (Start copy = new Start("copy", 0)) {
            copy.accept(50);
            assertThat(copy.codes()).containsExactly("ledger_stale");
        }
    }

    @Test
    void two_processes_on_copies_accuse_each_other() {
        try (Start first = new Start("data", 0)) {
            first.accept(2);
            first.deliverAll();
        }
        copy("data", "copy");
        try (Start one = new Start("data", 0);
                Start two = new Start("copy", 0)) {
            one.accept(1);
            one.deliverAll();
            assertThat(one.codes()).isEmpty();
            assertThat(two.codes()).containsExactly("ledger_stale");
            // As if the second had been found sound before there was anything to be seen.
            assertThat(two.history.mark(((Verification.Verified) one.history.verify()).source(), two.ledger.mark()))
                    .isInstanceOf(MarkResult.Acknowledged.class);
            assertThat(one.codes()).containsExactly("history_shared");
        }
    }

    @Test
    void another_ledger_on_the_table_is_refused_where_history_is_relied_on_and_told_elsewhere() {
        try (Start first = new Start("data", 3)) {
            first.accept(5);
            first.deliverAll();
        }
        try (Start finite = new Start("finite", 3);
                Start unlimited = new Start("unlimited", 0)) {
            assertThat(finite.codes()).containsExactly("history_shared");
            assertThat(unlimited.warnings()).containsExactly("history_shared");
            unlimited.accept(1);
            unlimited.deliverAll();
        }
        try (Start first = new Start("data", 3)) {
            assertThat(first.codes()).containsExactly("history_shared");
        }
    }

    /** Were the ledger read before the marks, a mark made in between would look like one of a newer copy. */
    @Test
    void ledger_that_accepts_and_marks_during_the_look_is_not_accused() {
        try (Start process = new Start("data", 3)) {
            process.accept(1);
            process.deliverAll();
            Verification.Verified before = (Verification.Verified) process.history.verify();
            process.afterLineage = () -> {
                process.accept(1);
                assertThat(process.history.mark(before.source(), process.ledger.mark()))
                        .isInstanceOf(MarkResult.Acknowledged.class);
            };
            assertThat(process.codes()).isEmpty();
            assertThat(process.codes()).isEmpty();
            assertThat(lastMark()).isEqualTo(3);
        }
    }

    @Test
    void crash_between_mark_and_insert_accuses_nobody() {
        try (Start crashed = new Start("data", 3)) {
            crashed.accept(4);
            crashed.history.onInsert((events, insert) -> new InsertResult.Unknown("the process died here"));
            assertThat(crashed.pass.run()).isInstanceOf(PassOutcome.Stalled.class);
        }
        assertThat(lastMark()).isEqualTo(4);
        goesOn("data");
    }

    @Test
    void crash_between_commit_and_mark_leaves_nothing_in_history() {
        try (Start crashed = new Start("data", 3)) {
            crashed.accept(4);
            crashed.history.onMark(() -> new MarkResult.Unknown("the process died here"));
            assertThat(crashed.pass.run()).isInstanceOf(PassOutcome.Stalled.class);
            assertThat(crashed.history.insertedRows()).isEmpty();
        }
        goesOn("data");
    }

    @Test
    void crash_between_insert_and_settlement_accuses_nobody() {
        try (Start crashed = new Start("data", 3)) {
            crashed.accept(4);
            crashed.history.onInsert((events, insert) -> {
                assertThat(insert.get()).isInstanceOf(InsertResult.Acknowledged.class);
                return new InsertResult.Unknown("the process died here");
            });
            assertThat(crashed.pass.run()).isInstanceOf(PassOutcome.Stalled.class);
        }
        goesOn("data");
    }

    private void goesOn(String name) {
        try (Start next = new Start(name, 3)) {
            assertThat(next.codes()).isEmpty();
            next.deliverAll();
            assertThat(next.codes()).isEmpty();
            assertThat(next.ledger.status().queueEvents()).isZero();
        }
    }

    @Test
    void no_event_is_inserted_beyond_the_mark_and_one_mark_covers_a_backlog() {
        try (Start process = new Start("data", 0)) {
            process.accept(23);
            process.history.onInsert((events, insert) -> {
                assertThat(lastMark()).isEqualTo(23);
                return insert.get();
            });
            process.deliverAll();
            assertThat(process.history.insertedRows()).containsExactly(5, 5, 5, 5, 3);
            assertThat(process.history.marks()).isOne();
            process.accept(1);
            List<QueuedEvent> next = process.ledger.queue().oldest(1, Long.MAX_VALUE);
            process.history.onInsert((events, insert) -> {
                assertThat(lastMark()).isEqualTo(next.getFirst().seq());
                return insert.get();
            });
            process.deliverAll();
            assertThat(process.history.marks()).isEqualTo(2);
        }
    }

    @Test
    void own_marks_leave_the_stamp_alone_and_those_of_a_copy_change_it() {
        try (Start one = new Start("data", 0)) {
            one.accept(1);
            one.deliverAll();
            Verification.Verified before = (Verification.Verified) one.history.verify();
            one.history.mark(before.source(), one.ledger.mark());
            assertThat(one.history.insert(before.source(), events(one))).isInstanceOf(InsertResult.Acknowledged.class);
            server.query(
                    "insert into " + database + ".events_ledgers (ledger_id, epoch, accepted_seq, first_at, last_at)"
                            + " values ('" + one.ledger.lineage().ledger()
                            + "', generateUUIDv4(), 1, now64(3), now64(3))");
            assertThat(one.history.insert(before.source(), events(one))).isInstanceOf(InsertResult.Unknown.class);
        }
    }

    @Test
    void merges_of_marks_change_neither_what_they_say_nor_the_stamp() {
        try (Start first = new Start("data", 100)) {
            first.accept(2);
            first.deliverAll();
        }
        try (Start one = new Start("data", 100)) {
            one.accept(2);
            one.deliverAll();
            one.accept(2);
            one.deliverAll();
            Verification.Verified before = (Verification.Verified) one.history.verify();
            server.query("optimize table " + database + ".events_ledgers final");
            assertThat(server.query("select count() from " + database + ".events_ledgers"))
                    .isEqualTo("2");
            assertThat(one.history.insert(before.source(), events(one))).isInstanceOf(InsertResult.Acknowledged.class);
            assertThat(one.codes()).isEmpty();
        }
    }

    @Test
    void deployment_from_before_there_were_marks_gets_them_and_lost_marks_are_made_again() {
        try (Start process = new Start("data", 3)) {
            process.accept(2);
            process.deliverAll();
            server.query("drop table " + database + ".events_ledgers sync");
            assertThat(process.codes()).isEmpty();
            assertThat(server.query("select count() from " + database + ".events_ledgers"))
                    .isEqualTo("0");
        }
        try (Start process = new Start("data", 3)) {
            assertThat(process.codes()).isEmpty();
            process.accept(1);
            process.deliverAll();
            assertThat(lastMark()).isEqualTo(3);
        }
    }

    @Test
    void something_else_in_the_place_of_the_marks_is_refused() {
        try (Start process = new Start("data", 3)) {
            assertThat(process.codes()).isEmpty();
            String marks = database + ".events_ledgers";
            server.query("rename table " + marks + " to " + database + ".o");
            server.query("create view " + marks + " as select * from " + database + ".o where 0");
            assertThat(process.codes()).containsExactly("source_wrong_marks");
            server.query("drop table " + marks + " sync");
            server.query("rename table " + database + ".o to " + marks);
            assertThat(process.codes()).isEmpty();
            server.query("alter table " + marks + " modify ttl toDateTime(last_at) + interval 1 day");
            assertThat(process.codes()).containsExactly("source_wrong_marks");
        }
    }

    private static List<Event> events(Start process) {
        ProjectId project = process.ledger.projects().list().getFirst().id();
        return List.of(Event.original(
                new EventIdentity(project, new EventUuidMint(InstantSource.system()).next()),
                "e",
                "u",
                1_796_000_000_000_000L,
                1_796_000_000_000L,
                "{}".getBytes(StandardCharsets.UTF_8)));
    }

    private long lastMark() {
        return Long.parseLong(server.query("select max(accepted_seq) from " + database + ".events_ledgers"));
    }
}
