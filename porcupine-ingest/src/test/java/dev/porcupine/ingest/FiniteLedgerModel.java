package dev.porcupine.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.EventQuery;
import dev.porcupine.history.History;
import dev.porcupine.history.InsertResult;
import dev.porcupine.history.MarkResult;
import dev.porcupine.history.NewestResult;
import dev.porcupine.history.ProbeFailure;
import dev.porcupine.history.ProbePurpose;
import dev.porcupine.history.ProbeResult;
import dev.porcupine.history.ProjectErasure;
import dev.porcupine.history.Verification;
import dev.porcupine.history.VerifiedSource;
import dev.porcupine.ledger.AcceptResult;
import dev.porcupine.ledger.QueuedEvent;
import dev.porcupine.ledger.Verdict.Kind;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.LedgerMark;
import dev.porcupine.schema.ProjectId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * One random schedule over captures, delivery, eviction, time, failures of history and restarts, checked against the plainest model there
 * is: a map from an identity to the payload that was accepted first.
 */
final class FiniteLedgerModel {

    private static final int UNIVERSE = 24;
    private static final int IN_FLIGHT_MAX = 3;

    private final Random random;
    private final ProofRig rig;
    private final Flaky history;
    private final List<Event> unproven;
    private final Map<EventIdentity, Event> accepted = new HashMap<>();
    private final List<InFlight> inFlight = new ArrayList<>();
    private final List<String> log = new ArrayList<>();
    private int payloads;

    private record InFlight(String name, List<Event> events, Interleavings.Turns turns) {}

    /** Stores that several schedules share, each in a project of its own. */
    static final class Stores implements AutoCloseable {

        private static final int UNPROVEN_MAX = 2;

        private final Flaky history;
        private final ProofRig rig;
        private final List<Event> unproven;

        /** Begins as an upgraded ledger does: with receipts that no history has proven, and that only the ledger remembers. */
        Stores(Path dir, History real, long limit) {
            history = new Flaky(real);
            int count = (int) Math.min(limit - 1, UNPROVEN_MAX);
            rig = new ProofRig(dir, history, 0);
            unproven = LongStream.range(0, count)
                    .mapToObj(number -> rig.event(number, "before the limit"))
                    .toList();
            if (count > 0) {
                rig.accept(unproven.toArray(Event[]::new));
                rig.ledger
                        .queue()
                        .settle(
                                rig.ledger.queue().oldest(count, Long.MAX_VALUE),
                                rig.source().identity());
            }
            rig.restart(limit);
        }

        @Override
        public void close() {
            rig.close();
        }
    }

    FiniteLedgerModel(long seed, Stores stores) {
        random = new Random(seed);
        history = stores.history;
        rig = stores.rig;
        unproven = stores.unproven;
        rig.newProject();
    }

    /** Runs so many operations, then everything to its end, and checks. */
    void run(int operations) {
        try {
            for (int i = 0; i < operations; i++) {
                operation();
            }
            settleDown();
            check();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("after " + String.join("\n  ", log), e);
        } finally {
            inFlight.forEach(this::abandon);
        }
    }

    private void operation() {
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3 -> start();
            case 4, 5, 6, 7, 8, 9, 10 -> step();
            case 11, 12, 13, 14 -> deliver();
            case 15 -> insertWithoutSettling();
            case 16 -> evict();
            case 17 -> pass();
            case 18 -> history.failNext(random.nextInt(3));
            case 19 -> {
                if (random.nextInt(20) == 0) {
                    restart();
                }
            }
            default -> throw new AssertionError();
        }
    }

    private void start() {
        if (inFlight.size() >= IN_FLIGHT_MAX) {
            return;
        }
        Map<EventIdentity, Event> batch = new LinkedHashMap<>();
        int size = 1 + random.nextInt(4);
        String payload = "p" + payloads++;
        for (int i = 0; i < size; i++) {
            Event event = rig.event(random.nextInt(UNIVERSE), payload);
            batch.put(event.identity(), event);
        }
        List<Event> events = List.copyOf(batch.values());
        log.add("start " + payload + " " + numbers(events));
        inFlight.add(new InFlight(
                payload,
                events,
                new Interleavings.Turns(steps -> rig.door(steps).accept(events))));
    }

    private void step() {
        if (inFlight.isEmpty()) {
            return;
        }
        InFlight batch = inFlight.get(random.nextInt(inFlight.size()));
        log.add("step " + batch.name());
        batch.turns().take();
        if (batch.turns().done()) {
            inFlight.remove(batch);
            note(batch);
        }
    }

    private void note(InFlight batch) {
        AcceptResult result = batch.turns().finish();
        log.add("answer " + batch.name() + " " + result);
        if (!(result instanceof AcceptResult.Committed committed)) {
            return;
        }
        for (int i = 0; i < batch.events().size(); i++) {
            Event event = batch.events().get(i);
            if (committed.verdicts().get(i).kind() == Kind.ACCEPTED) {
                assertThat(accepted.putIfAbsent(event.identity(), event))
                        .as("%s was accepted before", event)
                        .isNull();
            }
        }
    }

    private void deliver() {
        int rows = 1 + random.nextInt(8);
        List<QueuedEvent> oldest = rig.ledger.queue().oldest(rows, Long.MAX_VALUE);
        if (oldest.isEmpty()) {
            return;
        }
        InsertResult result = history.insert(
                rig.source(), oldest.stream().map(QueuedEvent::event).toList());
        log.add("deliver " + oldest.size() + ": " + result);
        if (result instanceof InsertResult.Acknowledged) {
            rig.ledger.queue().settle(oldest, rig.source().identity());
        }
    }

    /** The acknowledgement is lost. */
    private void insertWithoutSettling() {
        List<QueuedEvent> oldest = rig.ledger.queue().oldest(3, Long.MAX_VALUE);
        if (!oldest.isEmpty()) {
            log.add("insert without settling " + oldest.size());
            history.insert(rig.source(), oldest.stream().map(QueuedEvent::event).toList());
        }
    }

    private void evict() {
        log.add("evict " + rig.ledger.eviction().evict());
    }

    private void pass() {
        Duration step = Duration.ofSeconds(1 + random.nextInt(31));
        log.add("pass " + step);
        rig.leaseTicker.advance(step);
    }

    /** As a crash leaves it: who was under way gets no answer. Whether it was stored, its client can't know. */
    private void restart() {
        log.add("restart");
        List<InFlight> lost = List.copyOf(inFlight);
        inFlight.clear();
        rig.ledger.close();
        lost.forEach(this::abandon);
        rig.restart();
        // What a lost batch wrote before the crash counts as accepted: the queue and history know it.
        for (InFlight batch : lost) {
            for (Event event : batch.events()) {
                if (!accepted.containsKey(event.identity())) {
                    stored(event.identity()).ifPresent(found -> accepted.put(found.identity(), found));
                }
            }
        }
    }

    private void abandon(InFlight batch) {
        try {
            batch.turns().finish();
        } catch (RuntimeException expected) {
            log.add("lost " + batch.name() + ": " + expected.getMessage());
        }
    }

    private Optional<Event> stored(EventIdentity identity) {
        return rig.ledger.queue().oldest(10_000, Long.MAX_VALUE).stream()
                .map(QueuedEvent::event)
                .filter(event -> event.identity().equals(identity))
                .findFirst()
                .or(() -> history.find(identity));
    }

    private void settleDown() {
        history.heal();
        while (!inFlight.isEmpty()) {
            InFlight batch = inFlight.removeFirst();
            batch.turns().finish();
            note(batch);
        }
        rig.deliverAll();
        rig.leaseTicker.advance(Duration.ofSeconds(31));
        while (rig.ledger.eviction().evict() > 0) {
            log.add("evicted the rest");
        }
    }

    private void check() {
        assertThat(rig.ledger.status().leases()).isZero();
        assertThat(rig.ledger.status().receipts())
                .as("I5")
                .isLessThanOrEqualTo(rig.ledger.status().receiptLimit());
        assertThat(rig.ledger.status().unprovenReceipts())
                .as("I2: what history never acknowledged stays")
                .isEqualTo(unproven.size());
        for (Event event : unproven) {
            assertThat(ProofRig.kinds(rig.accept(event))).as("I1: %s", event).containsExactly(Kind.KNOWN_BY_RECEIPT);
        }
        assertThat(rig.ledger.localRecord().complete())
                .as("I4")
                .isEqualTo(rig.ledger.status().evictedReceipts() == 0);
        assertThat(history.count(rig.project))
                .as("I1 and I3: what was accepted, once")
                .isEqualTo(accepted.size());
        accepted.forEach((identity, event) ->
                assertThat(history.find(identity)).as("the first payload won").contains(event));
        for (int number = 0; number < UNIVERSE; number++) {
            Event again = rig.event(number, "again");
            List<Kind> kinds = ProofRig.kinds(rig.accept(again));
            if (accepted.containsKey(again.identity())) {
                assertThat(kinds).as("resend of %s", again).doesNotContain(Kind.ACCEPTED);
            } else {
                assertThat(kinds).as("first send of %s", again).containsExactly(Kind.ACCEPTED);
            }
        }
    }

    private static List<Long> numbers(List<Event> events) {
        return events.stream()
                .map(event -> event.identity().uuid().leastSignificant())
                .toList();
    }

    /** The real history, which sometimes does not answer, or does the work and loses the answer. */
    private static final class Flaky implements History {

        private final History real;
        private int failures;
        private boolean afterWork;

        private Flaky(History real) {
            this.real = real;
        }

        void failNext(int count) {
            failures = count;
            afterWork = !afterWork;
        }

        void heal() {
            failures = 0;
        }

        private boolean fails() {
            if (failures == 0) {
                return false;
            }
            failures--;
            return true;
        }

        @Override
        public String kind() {
            return real.kind();
        }

        @Override
        public Verification verify() {
            return real.verify();
        }

        @Override
        public MarkResult mark(VerifiedSource source, LedgerMark mark) {
            return real.mark(source, mark);
        }

        @Override
        public InsertResult insert(VerifiedSource source, List<Event> events) {
            if (fails()) {
                if (afterWork) {
                    real.insert(source, events);
                }
                return new InsertResult.Unknown("planted");
            }
            return real.insert(source, events);
        }

        @Override
        public ProbeResult probe(
                VerifiedSource source, Set<EventIdentity> identities, Duration total, ProbePurpose purpose) {
            return fails()
                    ? new ProbeResult.Failed(ProbeFailure.INCOMPLETE, "planted")
                    : real.probe(source, identities, total, purpose);
        }

        @Override
        public NewestResult newest(VerifiedSource source, EventIdentity identity, Duration total) {
            if (fails()) {
                return new NewestResult.Failed(ProbeFailure.INCOMPLETE, "planted");
            }
            return real.newest(source, identity, total);
        }

        @Override
        public long count(ProjectId project, Set<EventUuid> without) {
            return real.count(project, without);
        }

        @Override
        public Set<EventUuid> standing(ProjectId project, Set<EventUuid> uuids) {
            return real.standing(project, uuids);
        }

        @Override
        public Optional<Event> find(EventIdentity identity) {
            return real.find(identity);
        }

        @Override
        public List<Event> page(EventQuery query, Set<EventUuid> without) {
            return real.page(query, without);
        }

        @Override
        public ProjectErasure erasure() {
            return real.erasure();
        }

        @Override
        public void close() {
            real.close();
        }
    }
}
