package dev.porcupine.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.ClickHouseSettings;
import dev.porcupine.history.Finding;
import dev.porcupine.history.Histories;
import dev.porcupine.history.History;
import dev.porcupine.history.InsertResult;
import dev.porcupine.history.MarkResult;
import dev.porcupine.history.Reliance;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.history.Verification;
import dev.porcupine.history.VerifiedSource;
import dev.porcupine.ledger.AbsenceProof;
import dev.porcupine.ledger.AcceptResult;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LedgerSettings;
import dev.porcupine.ledger.QueuedEvent;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.schema.Ticker;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.ManualTicker;
import dev.porcupine.testkit.SharedClickHouse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two ledgers, limit 0, nothing pinned, on one table: allowed, with a warning (ADR 0006). Both number their projects from 1, so that a removal by one would
 * delete the other's.
 */
@Timeout(120)
class SharedTableRemovalTest {

    @TempDir
    Path dir;

    @Test
    void removing_a_project_leaves_another_ledgers_project_of_the_same_number_alone() {
        String database = SharedClickHouse.freshDatabase();
        try (Deployment one = new Deployment(dir.resolve("one"), database);
                Deployment two = new Deployment(dir.resolve("two"), database)) {
            ProjectId lives = one.ledger.projects().create("default").project().id();
            List<Event> kept = one.acceptAndDeliver(lives, 20);
            ProjectId removed =
                    two.ledger.projects().create("default").project().id();
            assertThat(removed).isEqualTo(lives);
            two.acceptAndDeliver(removed, 5);
            assertThat(one.source().warnings().stream().map(Finding::code)).contains("history_shared");
            assertThat(one.history.find(kept.getFirst().identity())).isPresent();

            two.ledger.removals().begin(removed);
            two.remove();

            for (Event event : kept) {
                assertThat(one.history.find(event.identity()))
                        .as("accepted, delivered, settled; its project lives")
                        .contains(event);
            }
        }
    }

    private static final class Deployment implements AutoCloseable {

        final ManualTicker ticker = new ManualTicker();
        final Ledger ledger;
        final History history;
        final SourceWatch watch;

        Deployment(Path dataDir, String database) {
            ledger = Ledger.open(new LedgerSettings(dataDir, 1_000, 1L << 30, 0), InstantSource.system(), ticker);
            ClickHouseEndpoint server = SharedClickHouse.endpoint();
            history = Histories.clickHouse(
                    new ClickHouseSettings(
                            server.url(), database, "events", server.user(), server.password(), null, null, null),
                    new SimpleMeterRegistry(),
                    () -> Reliance.NONE,
                    ledger.lineage(),
                    ledger.removals()::removes);
            watch = new SourceWatch(history, Ticker.system());
        }

        VerifiedSource source() {
            Verification verification = watch.look();
            assertThat(verification).isInstanceOf(Verification.Verified.class);
            return ((Verification.Verified) verification).source();
        }

        List<Event> acceptAndDeliver(ProjectId project, int count) {
            List<Event> events = IntStream.range(0, count)
                    .mapToObj(n -> Event.original(
                            new EventIdentity(project, EventUuid.of(UUID.randomUUID())),
                            "e",
                            "u",
                            1_796_000_000_000_000L,
                            1_796_000_000_000L,
                            "{}".getBytes(StandardCharsets.UTF_8)))
                    .toList();
            assertThat(ledger.acceptance().accept(events, new AbsenceProof.CompleteRecord(), Duration.ofSeconds(10)))
                    .isInstanceOf(AcceptResult.Committed.class);
            VerifiedSource source = source();
            assertThat(history.mark(source, ledger.mark())).isEqualTo(new MarkResult.Acknowledged());
            List<QueuedEvent> batch = ledger.queue().oldest(1_000, Long.MAX_VALUE);
            assertThat(history.insert(source, events)).isEqualTo(new InsertResult.Acknowledged());
            ledger.queue().settle(batch, source.identity());
            return events;
        }

        void remove() {
            RemovalPass pass =
                    new RemovalPass(ledger, history, watch, new RemovalMetrics(new SimpleMeterRegistry(), ledger));
            for (int n = 0; n < 100 && !ledger.removals().pending().isEmpty(); n++) {
                // That it stalls for good would be right.
                if (pass.run() instanceof RemovalOutcome.Waiting(Duration atLeast, String why)) {
                    ticker.advance(atLeast);
                }
            }
        }

        @Override
        public void close() {
            ledger.close();
            history.close();
        }
    }
}
