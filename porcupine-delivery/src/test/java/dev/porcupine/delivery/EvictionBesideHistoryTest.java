package dev.porcupine.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.Finding;
import dev.porcupine.history.Histories;
import dev.porcupine.history.History;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.ledger.AbsenceProof;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LedgerSettings;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuidMint;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.schema.Ticker;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The last local copy of an identity is never forgotten while the pinned history is known to be gone. */
class EvictionBesideHistoryTest {

    @TempDir
    private Path dir;

    @Test
    void nothing_is_evicted_while_the_pinned_history_is_refused() {
        SteeredHistory history = new SteeredHistory(Histories.embedded(dir));
        EventUuidMint mint = new EventUuidMint(InstantSource.system());
        try (Ledger ledger = open(1_000)) {
            ProjectId project = ledger.projects().create("p").project().id();
            List<Event> events = IntStream.range(0, 300)
                    .mapToObj(n -> Event.original(
                            new EventIdentity(project, mint.next()), "e", "d", 1, 1, new byte[] {'{', '}'}))
                    .toList();
            ledger.acceptance().accept(events, new AbsenceProof.CompleteRecord(), Duration.ofSeconds(30));
            pass(ledger, history).run();
            assertThat(ledger.status().receipts()).isEqualTo(300);
        }
        // the operator lowers the limit; meanwhile the table was dropped: every look says so
        history.onVerify(() -> Optional.of(new Finding("source_table_missing", "dropped")));
        try (Ledger ledger = open(10)) {
            PassOutcome outcome = pass(ledger, history).run();

            assertThat(ledger.status().evictedReceipts())
                    .as("the pass ended with %s, the receipts were the last record of these identities", outcome)
                    .isZero();
        }
    }

    private Ledger open(long limit) {
        return Ledger.open(new LedgerSettings(dir, 100_000, 1L << 30, limit), InstantSource.system());
    }

    private static DeliveryPass pass(Ledger ledger, History history) {
        return new DeliveryPass(
                ledger,
                history,
                new SourceWatch(history, Ticker.system()),
                DeliverySettings.defaults(),
                new DeliveryMetrics(new SimpleMeterRegistry(), InstantSource.system()));
    }
}
