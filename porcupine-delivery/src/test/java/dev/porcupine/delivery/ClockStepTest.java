package dev.porcupine.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.ClickHouseSettings;
import dev.porcupine.history.Finding;
import dev.porcupine.history.Histories;
import dev.porcupine.history.Reliance;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.history.Verification;
import dev.porcupine.ledger.AbsenceProof;
import dev.porcupine.ledger.AcceptResult;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LedgerSettings;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuidMint;
import dev.porcupine.schema.LedgerLineage;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.ManualTicker;
import dev.porcupine.testkit.SharedClickHouse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One healthy ledger, one process at a time; the clock of ClickHouse steps. Each {@link Start} is what a start of the service has. */
class ClockStepTest {

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

        @Override
        public void close() {
            ledger.close();
            history.close();
        }
    }

    /**
     * The server's clock was a day ahead while the first process delivered, and was then set right. A mark keeps the highest time it was ever
     * given, so every process of the next 24 hours is taken for a copy beside a living one: all new events get 503, restart or not.
     */
    @Test
    void a_clock_that_was_ahead_for_a_moment_accuses_nobody() {
        try (Start first = new Start("data", 0)) {
            first.accept(2);
            first.deliverAll();
            assertThat(first.codes()).isEmpty();
            // The very row that the server would have written with its clock a day ahead.
            server.query("insert into " + database
                    + ".events_ledgers select ledger_id, epoch, accepted_seq, first_at, now64(3) + interval 1 day"
                    + " from " + database + ".events_ledgers");
            assertThat(first.codes()).isEmpty();
        }
        for (int restart = 0; restart < 2; restart++) {
            try (Start next = new Start("data", 0)) {
                next.accept(1);
                next.deliverAll();
                assertThat(next.codes()).as("restart %d", restart).isEmpty();
            }
        }
    }

    /** Two minutes back, by NTP or by a load balancer that leads to a server whose clock is behind: this process is refused until it is restarted. */
    @Test
    void a_clock_that_steps_back_two_minutes_accuses_nobody() {
        try (Start first = new Start("data", 0)) {
            first.accept(2);
            first.deliverAll();
            server.query("insert into " + database
                    + ".events_ledgers select ledger_id, epoch, accepted_seq, first_at, now64(3) + interval 2 minute"
                    + " from " + database + ".events_ledgers");
        }
        try (Start next = new Start("data", 0)) {
            next.accept(1);
            next.deliverAll();
            assertThat(next.codes()).isEmpty();
        }
    }
}
