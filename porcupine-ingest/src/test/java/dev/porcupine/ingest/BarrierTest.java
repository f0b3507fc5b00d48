package dev.porcupine.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.ClickHouseSettings;
import dev.porcupine.history.Histories;
import dev.porcupine.history.History;
import dev.porcupine.history.MarkResult;
import dev.porcupine.history.Reliance;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.history.Verification;
import dev.porcupine.ledger.AcceptResult;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LedgerSettings;
import dev.porcupine.ledger.QueuedEvent;
import dev.porcupine.ledger.Verdict;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.LedgerMark;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.schema.Ticker;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.FaultProxy;
import dev.porcupine.testkit.SharedClickHouse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What closes the door of a ledger whose own record is complete, and what doesn't. */
class BarrierTest {

    private final ClickHouseEndpoint server = SharedClickHouse.endpoint();
    private final String database = server.freshDatabase();
    private final FaultProxy proxy = FaultProxy.before(server.url());
    private Ledger ledger;
    private History history;
    private SourceWatch watch;
    private ProvingDoor door;

    @TempDir
    Path dir;

    @BeforeEach
    void open() {
        open(0);
        ledger.projects().create("p");
    }

    private void open(long limit) {
        ledger = Ledger.open(new LedgerSettings(dir, 1_000, 64L << 20, limit), InstantSource.system());
        Ledger opened = ledger;
        history = Histories.clickHouse(
                new ClickHouseSettings(
                        proxy.url(), database, "events", server.user(), server.password(), null, null, null),
                new SimpleMeterRegistry(),
                () -> opened.pin().pinned().isPresent() ? Reliance.PINNED : Reliance.NONE,
                opened.lineage(),
                number -> false);
        watch = new SourceWatch(history, Ticker.system());
        door = new ProvingDoor(ledger, history, watch, Ticker.system(), ProofSteps.NONE);
    }

    private void restart(long limit) {
        closeStores();
        open(limit);
    }

    @AfterEach
    void close() {
        closeStores();
        proxy.close();
        server.query("drop database " + database);
    }

    private void closeStores() {
        ledger.close();
        history.close();
    }

    @Test
    void complete_ledger_that_is_proven_stale_accepts_nothing_new_and_answers_what_it_knows() {
        assertAccepted(1);
        watch.look();
        markOfACopy();
        watch.look();

        assertRefused(2, Problem.LEDGER_FORKED, "ledger_stale");
        assertThat(kinds(event(1))).containsExactly(Verdict.Kind.KNOWN_IN_QUEUE);
        assertThat(ledger.status().queueEvents()).isOne();
        assertThat(ledger.status().complete()).isTrue();
    }

    /** A revision made of an old one would undo what the newer ledger has told its clients. */
    @Test
    void stale_ledger_changes_and_deletes_nothing() {
        assertAccepted(1);
        watch.look();
        markOfACopy();
        watch.look();

        MutationDoor mutations = new MutationDoor(ledger, history, watch, Ticker.system(), MutationSteps.NONE);
        assertThat(mutations.mutate(event(1).identity(), new Change.Delete(), IfMatch.ANY))
                .isInstanceOfSatisfying(
                        MutationAnswer.Refused.class,
                        refused -> assertThat(refused.problem()).isEqualTo(Problem.LEDGER_FORKED));
        assertThat(ledger.status().heads()).isZero();
        assertThat(ledger.status().queueEvents()).isOne();
    }

    @Test
    void what_was_proven_holds_while_history_is_away() {
        watch.look();
        markOfACopy();
        watch.look();
        proxy.refuseConnections();
        watch.look();

        assertRefused(2, Problem.LEDGER_FORKED, "ledger_stale");
    }

    @Test
    void complete_ledger_without_a_pin_accepts_while_history_was_never_seen() {
        proxy.refuseConnections();
        watch.look();

        assertAccepted(1);
    }

    @Test
    void pinned_ledger_waits_after_each_start_until_its_history_was_found_sound() {
        restart(100);
        watch.look();
        assertAccepted(1);
        settle();
        assertThat(ledger.pin().pinned()).isPresent();
        proxy.refuseConnections();
        watch.look();
        assertAccepted(2);

        restart(100);
        assertRefused(3, Problem.HISTORY_UNAVAILABLE, "not_verified_yet");
        watch.look();
        assertRefused(3, Problem.HISTORY_UNAVAILABLE, "clickhouse_unreachable");
        assertThat(kinds(event(1))).containsExactly(Verdict.Kind.KNOWN_BY_RECEIPT);
        proxy.acceptConnections();
        watch.look();
        assertAccepted(3);
        assertThat(ledger.status().complete()).isTrue();
    }

    private void settle() {
        var source = ((Verification.Verified) watch.current()).source();
        List<QueuedEvent> oldest = ledger.queue().oldest(10, Long.MAX_VALUE);
        assertThat(history.mark(source, ledger.mark())).isInstanceOf(MarkResult.Acknowledged.class);
        history.insert(source, oldest.stream().map(QueuedEvent::event).toList());
        ledger.queue().settle(oldest, source.identity());
    }

    /** What a process leaves that runs on another copy of this ledger. */
    private void markOfACopy() {
        var source = ((Verification.Verified) watch.current()).source();
        assertThat(history.mark(source, new LedgerMark(ledger.lineage().ledger(), UUID.randomUUID(), 7)))
                .isInstanceOf(MarkResult.Acknowledged.class);
    }

    private void assertAccepted(long number) {
        assertThat(kinds(event(number))).containsExactly(Verdict.Kind.ACCEPTED);
    }

    private void assertRefused(long number, Problem problem, String reason) {
        assertThat(door.accept(List.of(event(number)))).isInstanceOfSatisfying(AcceptResult.Refused.class, refused -> {
            assertThat(refused.problem()).isEqualTo(problem);
            assertThat(refused.detail()).contains(reason);
        });
    }

    private List<Verdict.Kind> kinds(Event event) {
        return ProofRig.kinds(door.accept(List.of(event)));
    }

    private static Event event(long number) {
        return Event.original(
                new EventIdentity(new ProjectId(1), ProofRig.uuid(number)),
                "e",
                "u",
                1_796_000_000_000_000L,
                1_796_000_000_000L,
                "{}".getBytes(StandardCharsets.UTF_8));
    }
}
