package dev.porcupine.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.ClickHouseSettings;
import dev.porcupine.history.EventQuery;
import dev.porcupine.history.Histories;
import dev.porcupine.history.History;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.history.Verification;
import dev.porcupine.ledger.AbsenceProof;
import dev.porcupine.ledger.AcceptResult;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LedgerSettings;
import dev.porcupine.ledger.QuarantinedEvent;
import dev.porcupine.ledger.Verdict;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuidMint;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.ManualTicker;
import dev.porcupine.testkit.SharedClickHouse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** A real ledger, a real history and the pass between them, with one project. */
final class DeliveryRig implements AutoCloseable {

    /** Passes after which a queue that is still not empty never will be. */
    private static final int PASSES_MAX = 1_000;

    private static final int PAGE_ROWS = 1_000;

    final SteeredHistory history;
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final ManualTicker ticker = new ManualTicker();
    final DeliveryMetrics metrics = new DeliveryMetrics(meters, InstantSource.system());
    final List<Event> accepted = new ArrayList<>();
    final ProjectId project;
    private final Path dataDir;
    private final DeliverySettings settings;
    private final EventUuidMint mint = new EventUuidMint(InstantSource.system());
    Ledger ledger;
    DeliveryPass pass;

    DeliveryRig(Path dataDir, History history, DeliverySettings settings) {
        this.dataDir = dataDir;
        assertThat(history.verify()).isInstanceOf(Verification.Verified.class);
        this.history = new SteeredHistory(history);
        this.settings = settings;
        this.ledger = open();
        this.project = ledger.projects().create("rig").project().id();
        this.pass = newPass();
    }

    static History embedded(Path dataDir) {
        return Histories.embedded(dataDir);
    }

    static History clickHouse(ClickHouseEndpoint endpoint, String database) {
        return Histories.clickHouse(
                new ClickHouseSettings(
                        endpoint.url(), database, "events", endpoint.user(), endpoint.password(), null, null, null),
                new SimpleMeterRegistry());
    }

    static History sharedClickHouse() {
        return clickHouse(SharedClickHouse.endpoint(), SharedClickHouse.freshDatabase());
    }

    Event event(String name) {
        return event(name, "{\"n\":1.50}");
    }

    Event event(String name, String properties) {
        long now = System.currentTimeMillis();
        return Event.original(
                new EventIdentity(project, mint.next()),
                name,
                "user",
                now * 1_000,
                now,
                properties.getBytes(StandardCharsets.UTF_8));
    }

    List<Event> accept(int count) {
        return accept(IntStream.range(0, count).mapToObj(n -> event("e" + n)).toList());
    }

    List<Event> accept(List<Event> events) {
        assertThat(verdicts(events)).containsOnly(Verdict.Kind.ACCEPTED);
        accepted.addAll(events);
        return events;
    }

    List<Verdict.Kind> verdicts(List<Event> events) {
        AcceptResult result =
                ledger.acceptance().accept(events, new AbsenceProof.CompleteRecord(), Duration.ofSeconds(10));
        assertThat(result).isInstanceOf(AcceptResult.Committed.class);
        return ((AcceptResult.Committed) result)
                .verdicts().stream().map(Verdict::kind).toList();
    }

    /** Passes until the queue is empty; every one must get something done. */
    void deliverAll() {
        for (int n = 0; n < PASSES_MAX; n++) {
            PassOutcome outcome = pass.run();
            if (outcome instanceof PassOutcome.Idle) {
                return;
            }
            assertThat(outcome).isInstanceOf(PassOutcome.Progressed.class);
        }
        throw new AssertionError("the queue was not empty after " + PASSES_MAX + " passes");
    }

    List<QuarantinedEvent> quarantined() {
        return ledger.quarantine().list(project, 0, 1_000);
    }

    /** What a process start finds: the stores as they are on disk, nothing in memory. */
    void restart() {
        ledger.close();
        ledger = open();
        pass = newPass();
    }

    double eventsMetered(String outcome) {
        return meters.get("porcupine.delivery.events")
                .tag("outcome", outcome)
                .counter()
                .count();
    }

    /** I1 and I3 without eviction: each accepted event is in exactly one place, and history has what was delivered, once. */
    void assertNothingLostOrDoubled() {
        Set<EventIdentity> setAside = new HashSet<>();
        quarantined().forEach(entry -> setAside.add(entry.event().identity()));
        long waiting = ledger.status().queueEvents();
        assertThat(ledger.status().receipts() + waiting + setAside.size()).isEqualTo(accepted.size());
        if (waiting == 0) {
            Map<EventIdentity, Event> wanted = new HashMap<>();
            accepted.forEach(event -> wanted.put(event.identity(), event));
            wanted.keySet().removeAll(setAside);
            assertThat(history.count(project)).isEqualTo(wanted.size());
            assertThat(stored()).isEqualTo(wanted);
        }
        if (!accepted.isEmpty()) {
            assertThat(verdicts(accepted)).doesNotContain(Verdict.Kind.ACCEPTED);
        }
    }

    private Map<EventIdentity, Event> stored() {
        Map<EventIdentity, Event> stored = new HashMap<>();
        EventQuery.Position after = null;
        List<Event> page;
        do {
            page = history.page(new EventQuery(project, null, null, null, null, after, PAGE_ROWS));
            for (Event event : page) {
                assertThat(stored.put(event.identity(), event)).as("twice").isNull();
                after = new EventQuery.Position(
                        event.timestampMicros(), event.identity().uuid());
            }
        } while (page.size() == PAGE_ROWS);
        return stored;
    }

    @Override
    public void close() {
        ledger.close();
        history.close();
    }

    private Ledger open() {
        return Ledger.open(new LedgerSettings(dataDir, 100_000, 64L << 20), InstantSource.system(), ticker);
    }

    private DeliveryPass newPass() {
        return new DeliveryPass(ledger, history, new SourceWatch(history, ticker), settings, metrics);
    }
}
