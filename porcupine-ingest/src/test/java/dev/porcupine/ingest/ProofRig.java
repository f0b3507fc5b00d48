package dev.porcupine.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.History;
import dev.porcupine.history.InsertResult;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.history.Verification;
import dev.porcupine.history.VerifiedSource;
import dev.porcupine.ledger.AcceptResult;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LedgerSettings;
import dev.porcupine.ledger.QueuedEvent;
import dev.porcupine.ledger.Verdict;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.schema.Ticker;
import dev.porcupine.testkit.ManualTicker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.LongStream;

/** A real ledger with a limit, a real history, and delivery by hand. */
final class ProofRig implements AutoCloseable {

    private static final long CHURN_FROM = 1_000_000;

    final History history;
    final ManualTicker leaseTicker = new ManualTicker();
    ProjectId project;
    private final Path dataDir;
    private long limit;
    private long churned = CHURN_FROM;
    Ledger ledger;
    SourceWatch watch;

    ProofRig(Path dataDir, History history, long limit) {
        this.dataDir = dataDir;
        this.history = history;
        this.limit = limit;
        this.ledger = open();
        this.watch = newWatch();
        this.project = ledger.projects().create("rig").project().id();
    }

    /** Another project on the same stores: its events are new to everybody. */
    void newProject() {
        project = ledger.projects().create("rig").project().id();
    }

    private Ledger open() {
        return Ledger.open(new LedgerSettings(dataDir, 100_000, 64L << 20, limit), InstantSource.system(), leaseTicker);
    }

    private SourceWatch newWatch() {
        SourceWatch fresh = new SourceWatch(history, Ticker.system());
        fresh.look();
        return fresh;
    }

    ProvingDoor door(ProofSteps steps) {
        return new ProvingDoor(ledger, history, watch, Ticker.system(), steps);
    }

    MutationDoor mutations(MutationSteps steps) {
        return new MutationDoor(ledger, history, watch, Ticker.system(), steps);
    }

    VerifiedSource source() {
        return ((Verification.Verified) watch.current()).source();
    }

    /** A start with another limit. */
    void restart(long otherLimit) {
        limit = otherLimit;
        restart();
    }

    /** What a process start finds. */
    void restart() {
        ledger.close();
        ledger = open();
        watch = newWatch();
    }

    Event event(long number, String payload) {
        return Event.original(
                new EventIdentity(project, uuid(number)),
                "signup",
                "user",
                1_796_000_000_000_000L + number,
                1_796_000_000_000L,
                ("{\"by\":\"" + payload + "\"}").getBytes(StandardCharsets.UTF_8));
    }

    /** The same number is always the same identity; they spread as random UUIDs do. */
    static EventUuid uuid(long number) {
        long mixed = (number + 1) * 0x9E37_79B9_7F4A_7C15L;
        return new EventUuid(mixed ^ mixed >>> 29, number);
    }

    AcceptResult accept(Event... events) {
        return door(ProofSteps.NONE).accept(List.of(events));
    }

    /** Inserts the oldest queued events into history and settles them. */
    int deliver(int rowsMax) {
        List<QueuedEvent> oldest = ledger.queue().oldest(rowsMax, Long.MAX_VALUE);
        if (!oldest.isEmpty()) {
            insert(oldest);
            ledger.queue().settle(oldest, source().identity());
        }
        return oldest.size();
    }

    void insert(List<QueuedEvent> queued) {
        assertThat(history.insert(
                        source(), queued.stream().map(QueuedEvent::event).toList()))
                .isInstanceOf(InsertResult.Acknowledged.class);
    }

    void deliverAll() {
        while (deliver(1_000) > 0) {
            assertThat(ledger.status().queueEvents()).isNotNegative();
        }
    }

    /** Accepts one event and takes it all the way to history; its receipt is the youngest then. */
    void acceptAndDeliver(long number, String payload) {
        assertThat(kinds(accept(event(number, payload)))).containsExactly(Verdict.Kind.ACCEPTED);
        deliverAll();
    }

    /** Settles as many other events as the limit allows receipts, so that every receipt from before is evicted, unless leased. */
    void evictAllOlder() {
        Event[] others = LongStream.range(churned, churned + limit)
                .mapToObj(n -> event(n, "churn"))
                .toArray(Event[]::new);
        churned += limit;
        assertThat(kinds(accept(others))).containsOnly(Verdict.Kind.ACCEPTED);
        deliverAll();
    }

    static List<Verdict.Kind> kinds(AcceptResult result) {
        return switch (result) {
            case AcceptResult.Committed committed ->
                committed.verdicts().stream().map(Verdict::kind).toList();
            case AcceptResult.Refused refused ->
                throw new AssertionError("refused: " + refused.problem() + ", " + refused.detail());
            case AcceptResult.ProofVoid doubt -> throw new AssertionError("proof void: " + doubt.reason());
        };
    }

    @Override
    public void close() {
        ledger.close();
        history.close();
    }
}
