package dev.porcupine.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.ledger.QueuedEvent;
import dev.porcupine.ledger.Verdict.Kind;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.Problem;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * One random schedule of captures, patches, deletes, deliveries, quarantines, evictions and restarts, each mutation with another operation at
 * one of its steps, against the plainest model: for each identity the revisions that clients were told of.
 */
final class MutationModel {

    private static final int UNIVERSE = 6;

    private final Random random;
    private final ProofRig rig;
    private final Map<EventIdentity, TreeMap<Long, Event>> revisions = new HashMap<>();
    private final List<String> log = new ArrayList<>();

    /** What is to be checked once the outer mutation has its answer too: the inner one may have seen it before anybody was told. */
    private final List<Runnable> later = new ArrayList<>();

    private int patches;

    MutationModel(long seed, ProofRig rig) {
        this.random = new Random(seed);
        this.rig = rig;
        rig.newProject();
    }

    void run(int operations) {
        try {
            for (int i = 0; i < operations; i++) {
                operation(true);
            }
            rig.ledger
                    .quarantine()
                    .list(rig.project, 0, 1_000)
                    .forEach(entry -> rig.ledger.quarantine().retry(rig.project, entry.seq()));
            rig.deliverAll();
            rig.leaseTicker.advance(Duration.ofSeconds(31));
            while (rig.ledger.eviction().evict() > 0) {
                log.add("evicted the rest");
            }
            check();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("after " + String.join("\n  ", log), e);
        }
    }

    private void operation(boolean outermost) {
        switch (random.nextInt(14)) {
            case 0, 1, 2 -> capture();
            case 3, 4, 5 -> mutate(outermost, false);
            case 6 -> mutate(outermost, true);
            case 7, 8, 9 -> deliver(1 + random.nextInt(4), true);
            case 10 -> deliver(1 + random.nextInt(4), false);
            case 11 -> quarantine();
            case 12 -> retry();
            default -> {
                if (outermost && random.nextInt(10) == 0) {
                    log.add("restart");
                    rig.restart();
                } else {
                    log.add("evict " + rig.ledger.eviction().evict());
                }
            }
        }
    }

    private void capture() {
        Event event = rig.event(random.nextInt(UNIVERSE), "p" + log.size());
        Kind kind = ProofRig.kinds(rig.accept(event)).getFirst();
        log.add("capture " + event.identity() + " " + kind);
        if (kind == Kind.ACCEPTED) {
            assertThat(revisions.put(event.identity(), new TreeMap<>(Map.of(1L, event))))
                    .as("accepted before")
                    .isNull();
        } else {
            assertThat(revisions).containsKey(event.identity());
        }
    }

    private void mutate(boolean outermost, boolean delete) {
        EventIdentity identity = rig.event(random.nextInt(UNIVERSE), "").identity();
        String member = "\"k" + patches++ + "\":1";
        List<MutationStep> steps = List.of(MutationStep.values());
        MutationStep at = steps.get(random.nextInt(steps.size()));
        boolean[] done = {!outermost};
        MutationAnswer answer = rig.mutations(step -> {
                    if (step == at && !done[0]) {
                        done[0] = true;
                        operation(false);
                    }
                })
                .mutate(identity, delete ? new Change.Delete() : MutationRaceContract.patch(member), IfMatch.ANY);
        log.add((delete ? "delete " : "patch ") + identity + " " + member + ": " + answer);
        TreeMap<Long, Event> known = revisions.getOrDefault(identity, new TreeMap<>());
        switch (answer) {
            case MutationAnswer.Changed(Event next) -> {
                assertThat(known.put(next.revision(), next)).as("told twice").isNull();
                assertThat(text(next)).contains(member);
            }
            case MutationAnswer.Deleted(long revision, boolean repeated) -> {
                if (repeated) {
                    later.add(() -> assertThat(known.lastKey()).isEqualTo(revision));
                    later.add(() -> assertThat(deleted(known)).isTrue());
                } else {
                    Event tombstone = new Event(identity, revision, true, "$deleted", "$deleted", 0, 0, new byte[0]);
                    assertThat(known.put(revision, tombstone)).as("told twice").isNull();
                }
            }
            case MutationAnswer.Refused refused -> {
                switch (refused.problem()) {
                    case Problem.EVENT_NOT_FOUND ->
                        assertThat(known.size())
                                .as("known, but for a capture meanwhile")
                                .isLessThanOrEqualTo(done[0] && outermost ? 3 : 0);
                    case Problem.EVENT_DELETED ->
                        later.add(() -> assertThat(deleted(known)).isTrue());
                    case Problem.LOOKUP_INCOMPLETE ->
                        assertThat(done[0] && outermost)
                                .as("it arrived between two looks")
                                .isTrue();
                    default -> throw new AssertionError("refused: " + refused);
                }
            }
        }
        if (outermost) {
            later.forEach(Runnable::run);
            later.clear();
        }
    }

    private void deliver(int rows, boolean settle) {
        List<QueuedEvent> oldest = rig.ledger.queue().oldest(rows, Long.MAX_VALUE);
        log.add((settle ? "deliver " : "insert without settling ") + oldest.size());
        if (!oldest.isEmpty()) {
            rig.insert(oldest);
            if (settle) {
                rig.ledger.queue().settle(oldest, rig.source().identity());
            }
        }
    }

    private void quarantine() {
        List<QueuedEvent> oldest = rig.ledger.queue().oldest(3, Long.MAX_VALUE);
        if (!oldest.isEmpty()) {
            QueuedEvent victim = oldest.get(random.nextInt(oldest.size()));
            log.add("quarantine " + victim.event());
            rig.ledger.queue().quarantine(List.of(victim), "planted");
        }
    }

    private void retry() {
        rig.ledger.quarantine().list(rig.project, 0, 1).forEach(entry -> {
            log.add("retry " + entry.event());
            rig.ledger.quarantine().retry(rig.project, entry.seq());
        });
    }

    private void check() {
        long live = 0;
        long mutated = 0;
        for (Map.Entry<EventIdentity, TreeMap<Long, Event>> entry : revisions.entrySet()) {
            TreeMap<Long, Event> known = entry.getValue();
            assertThat(known.keySet())
                    .as("no gap, no fork")
                    .hasSize(known.lastKey().intValue());
            known.headMap(known.lastKey())
                    .values()
                    .forEach(before -> assertThat(before.deleted()).isFalse());
            String before = "{\"by\":";
            for (Event next : known.values()) {
                if (!next.deleted()) {
                    assertThat(text(next)).startsWith(before);
                    before = text(next).substring(0, text(next).length() - 1) + ",";
                }
            }
            Event newest = known.lastEntry().getValue();
            Event found = rig.history.find(entry.getKey()).orElseThrow();
            assertThat(found.revision()).isEqualTo(newest.revision());
            assertThat(found.deleted()).isEqualTo(newest.deleted());
            if (!newest.deleted()) {
                assertThat(found).isEqualTo(newest);
                live++;
            }
            mutated += known.size() > 1 ? 1 : 0;
            assertThat(ProofRig.kinds(rig.accept(rig.event(entry.getKey().uuid().leastSignificant(), "again"))))
                    .doesNotContain(Kind.ACCEPTED);
            assertThat(rig.ledger.mutations().trace(entry.getKey()).headRevision())
                    .isEqualTo(known.size() > 1 ? newest.revision() : 0);
        }
        assertThat(rig.history.count(rig.project)).isEqualTo(live);
        assertThat(rig.ledger.pendingRevisions().deleted(rig.project)).isEmpty();
        assertThat(rig.ledger.status().receipts())
                .isLessThanOrEqualTo(rig.ledger.status().receiptLimit());
        headsOfProject(mutated);
    }

    private void headsOfProject(long mutated) {
        long traced = revisions.keySet().stream()
                .filter(identity -> rig.ledger.mutations().trace(identity).headRevision() > 0)
                .count();
        assertThat(traced).isEqualTo(mutated);
    }

    private static boolean deleted(Map<Long, Event> known) {
        return known.values().stream().anyMatch(Event::deleted);
    }

    private static String text(Event event) {
        return new String(event.properties(), StandardCharsets.UTF_8);
    }
}
