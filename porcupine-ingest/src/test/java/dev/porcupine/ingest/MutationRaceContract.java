package dev.porcupine.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.History;
import dev.porcupine.ingest.MutationAnswer.Changed;
import dev.porcupine.ingest.MutationAnswer.Deleted;
import dev.porcupine.ingest.MutationAnswer.Refused;
import dev.porcupine.ledger.LocalTrace;
import dev.porcupine.ledger.QueuedEvent;
import dev.porcupine.ledger.Verdict.Kind;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.Problem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every way in which a mutation can meet its event, and every race: while one stands at a step, something else happens. */
@Timeout(240)
abstract class MutationRaceContract {

    private static final long X = 1;
    private static final Change DELETE = new Change.Delete();

    /** Where the event is when a mutation begins. */
    enum Place {
        QUEUED,
        QUARANTINED,
        DELIVERED,
        EVICTED
    }

    private ProofRig rig;

    abstract History openHistory(Path dir);

    @BeforeEach
    void open(@TempDir Path dir) {
        rig = new ProofRig(dir.resolve("ledger"), openHistory(dir), 3);
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void an_event_is_patched_patched_again_and_deleted_wherever_it_is(Place place) {
        Event original = bring(place);
        Event second = changed(mutate(patch("\"a\":1")));
        assertThat(second).isEqualTo(with(original, 2, "{\"by\":\"client\",\"a\":1}"));
        rig.deliverAll();
        rig.evictAllOlder();
        Event third = changed(mutate(patch("\"by\":null")));
        assertThat(third).isEqualTo(with(original, 3, "{\"a\":1}"));
        assertThat(mutate(DELETE)).isEqualTo(new Deleted(4, false));
        rig.deliverAll();
        assertEnd(4, true);
        assertThat(mutate(DELETE)).isEqualTo(new Deleted(4, true));
        assertThat(problem(mutate(patch("\"a\":2")))).isEqualTo(Problem.EVENT_DELETED);
        assertThat(rig.ledger.status().heads()).isOne();
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void a_deleted_event_keeps_its_partition_and_nothing_of_its_content(Place place) {
        Event original = bring(place);
        assertThat(mutate(DELETE)).isEqualTo(new Deleted(2, false));
        rig.deliverAll();
        Event tombstone = rig.history.find(original.identity()).orElseThrow();
        assertThat(tombstone.receivedAtMillis()).isEqualTo(original.receivedAtMillis());
        assertThat(tombstone)
                .isEqualTo(new Event(
                        original.identity(),
                        2,
                        true,
                        "$deleted",
                        "$deleted",
                        original.receivedAtMillis() * 1_000,
                        original.receivedAtMillis(),
                        bytes("{}")));
    }

    @Test
    void an_event_that_never_was_is_not_found_before_and_after_the_first_eviction() {
        assertThat(problem(mutate(DELETE))).isEqualTo(Problem.EVENT_NOT_FOUND);
        bring(Place.EVICTED);
        EventIdentity never = rig.event(77, "").identity();
        assertThat(problem(rig.mutations(MutationSteps.NONE).mutate(never, DELETE, IfMatch.ANY)))
                .isEqualTo(Problem.EVENT_NOT_FOUND);
        assertThat(problem(rig.mutations(MutationSteps.NONE).mutate(never, patch("\"a\":1"), IfMatch.ANY)))
                .isEqualTo(Problem.EVENT_NOT_FOUND);
        assertThat(rig.ledger.status().heads()).isZero();
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void a_condition_on_another_revision_changes_nothing_and_names_the_current_one(Place place) {
        bring(place);
        Refused refused = (Refused) mutate(patch("\"a\":1"), IfMatch.parse("\"2\""));
        assertThat(refused.problem()).isEqualTo(Problem.REVISION_MISMATCH);
        assertThat(refused.current()).isEqualTo(1);
        assertThat(problem(mutate(DELETE, IfMatch.parse("\"2\"")))).isEqualTo(Problem.REVISION_MISMATCH);
        assertThat(rig.ledger.status().heads()).isZero();
        changed(mutate(patch("\"a\":1"), IfMatch.parse("\"1\"")));
        assertThat(mutate(DELETE, IfMatch.parse("\"2\""))).isEqualTo(new Deleted(3, false));
        assertThat(mutate(DELETE, IfMatch.parse("\"2\""))).as("its own resend").isEqualTo(new Deleted(3, true));
    }

    @ParameterizedTest
    @EnumSource(MutationStep.class)
    void other_patch_that_comes_first_is_built_upon(MutationStep step) {
        bring(Place.EVICTED);
        boolean before = step != MutationStep.WRITTEN;
        Event mine = changed(mutateWhile(step, () -> changed(mutate(patch("\"theirs\":1"))), patch("\"mine\":1")));
        assertThat(mine.revision()).isEqualTo(before ? 3 : 2);
        rig.deliverAll();
        String properties = new String(assertEnd(3, false).properties(), StandardCharsets.UTF_8);
        assertThat(properties)
                .isEqualTo(
                        before
                                ? "{\"by\":\"client\",\"theirs\":1,\"mine\":1}"
                                : "{\"by\":\"client\",\"mine\":1,\"theirs\":1}");
    }

    @ParameterizedTest
    @EnumSource(
            value = MutationStep.class,
            names = {"TRACED", "LOOKED_UP", "MADE"})
    void other_patch_that_comes_first_breaks_my_condition(MutationStep step) {
        bring(Place.EVICTED);
        MutationAnswer answer = door(step, () -> changed(mutate(patch("\"theirs\":1"))))
                .mutate(identity(), patch("\"mine\":1"), IfMatch.parse("\"1\""));
        assertThat(problem(answer)).isEqualTo(Problem.REVISION_MISMATCH);
        assertThat(((Refused) answer).current()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(
            value = MutationStep.class,
            names = {"TRACED", "LOOKED_UP", "MADE"})
    void a_patch_never_brings_back_what_a_delete_took_meanwhile(MutationStep step) {
        bring(Place.EVICTED);
        MutationAnswer answer = mutateWhile(
                step, () -> assertThat(mutate(DELETE)).isEqualTo(new Deleted(2, false)), patch("\"mine\":1"));
        assertThat(problem(answer)).isEqualTo(Problem.EVENT_DELETED);
        rig.deliverAll();
        assertEnd(2, true);
    }

    @ParameterizedTest
    @EnumSource(
            value = MutationStep.class,
            names = {"TRACED", "MADE"})
    void two_deletes_make_one_tombstone(MutationStep step) {
        bring(Place.DELIVERED);
        assertThat(mutateWhile(step, () -> assertThat(mutate(DELETE)).isEqualTo(new Deleted(2, false)), DELETE))
                .isEqualTo(new Deleted(2, true));
        rig.deliverAll();
        assertEnd(2, true);
    }

    @ParameterizedTest
    @EnumSource(
            value = MutationStep.class,
            names = {"TRACED", "MADE", "WRITTEN"})
    void the_original_is_settled_and_evicted_meanwhile(MutationStep step) {
        Event original = bring(Place.QUEUED);
        Event mine = changed(mutateWhile(
                step,
                () -> {
                    rig.deliverAll();
                    rig.evictAllOlder();
                },
                patch("\"mine\":1")));
        assertThat(mine).isEqualTo(with(original, 2, "{\"by\":\"client\",\"mine\":1}"));
        rig.deliverAll();
        assertEnd(2, false);
    }

    @ParameterizedTest
    @EnumSource(
            value = MutationStep.class,
            names = {"TRACED", "MADE"})
    void the_revision_before_is_delivered_meanwhile(MutationStep step) {
        bring(Place.QUEUED);
        changed(mutate(patch("\"first\":1")));
        Event mine = changed(mutateWhile(step, rig::deliverAll, patch("\"mine\":1")));
        assertThat(mine.revision()).isEqualTo(3);
        rig.deliverAll();
        assertThat(new String(assertEnd(3, false).properties(), StandardCharsets.UTF_8))
                .isEqualTo("{\"by\":\"client\",\"first\":1,\"mine\":1}");
    }

    @ParameterizedTest
    @EnumSource(MutationStep.class)
    void the_same_event_is_captured_again_meanwhile(MutationStep step) {
        Event original = bring(Place.EVICTED);
        changed(mutateWhile(
                step,
                () -> assertThat(ProofRig.kinds(rig.accept(rig.event(X, "resend"))))
                        .doesNotContain(Kind.ACCEPTED),
                patch("\"mine\":1")));
        rig.deliverAll();
        assertThat(assertEnd(2, false)).isEqualTo(with(original, 2, "{\"by\":\"client\",\"mine\":1}"));
    }

    @Test
    void a_capture_that_proves_meanwhile_finds_the_deleted_event_known() {
        incompleteRecord();
        bring(Place.EVICTED);
        boolean[] done = new boolean[1];
        List<Kind> kinds = ProofRig.kinds(rig.door(step -> {
                    if (step == ProofStep.PREFLIGHT && !done[0]) {
                        done[0] = true;
                        assertThat(mutate(DELETE)).isEqualTo(new Deleted(2, false));
                    }
                })
                .accept(List.of(rig.event(X, "resend"))));
        assertThat(done[0]).isTrue();
        assertThat(kinds).doesNotContain(Kind.ACCEPTED);
        rig.deliverAll();
        assertEnd(2, true);
    }

    @Test
    void a_mutation_overtaken_every_time_is_told_so() {
        bring(Place.QUEUED);
        List<MutationStep> seen = new ArrayList<>();
        MutationAnswer answer = rig.mutations(step -> {
                    seen.add(step);
                    if (step == MutationStep.MADE) {
                        changed(mutate(patch("\"theirs\":1")));
                    }
                })
                .mutate(identity(), patch("\"mine\":1"), IfMatch.ANY);
        assertThat(problem(answer)).isEqualTo(Problem.MUTATION_CONFLICT);
        assertThat(seen.stream().filter(MutationStep.MADE::equals)).hasSize(MutationDoor.ATTEMPTS_MAX);
        assertThat(trace())
                .isInstanceOfSatisfying(
                        LocalTrace.Held.class,
                        held -> assertThat(held.newest().revision()).isEqualTo(4));
    }

    @Test
    void a_restart_forgets_no_mutation() {
        bring(Place.EVICTED);
        changed(mutate(patch("\"a\":1")));
        rig.restart();
        assertThat(mutate(DELETE)).isEqualTo(new Deleted(3, false));
        rig.restart();
        rig.deliverAll();
        rig.restart();
        assertEnd(3, true);
    }

    @Test
    void what_history_does_not_answer_is_refused_and_what_the_ledger_knows_is_not() {
        incompleteRecord();
        rig.acceptAndDeliver(X, "client");
        rig.history.close();
        MutationAnswer unknown =
                rig.mutations(MutationSteps.NONE).mutate(rig.event(77, "").identity(), DELETE, IfMatch.ANY);
        assertThat(problem(unknown).status()).isEqualTo(503);
        assertThat(problem(mutate(patch("\"a\":1"))).status()).isEqualTo(503);
        assertThat(mutate(DELETE)).as("its receipt is here").isEqualTo(new Deleted(2, false));
        assertThat(mutate(DELETE)).isEqualTo(new Deleted(2, true));
    }

    @Test
    void a_revision_that_history_has_lost_is_never_built_upon() {
        bring(Place.DELIVERED);
        changed(mutate(patch("\"a\":1")));
        List<QueuedEvent> lost = rig.ledger.queue().oldest(10, Long.MAX_VALUE);
        rig.ledger.queue().settle(lost, rig.source().identity());
        assertThat(problem(mutate(patch("\"b\":1")))).isEqualTo(Problem.LOOKUP_INCOMPLETE);
        assertThat(mutate(DELETE)).isEqualTo(new Deleted(3, false));
    }

    private Event bring(Place place) {
        Event original = rig.event(X, "client");
        assertThat(ProofRig.kinds(rig.accept(original))).containsExactly(Kind.ACCEPTED);
        switch (place) {
            case QUEUED -> {}
            case QUARANTINED -> rig.ledger.queue().quarantine(rig.ledger.queue().oldest(10, 1 << 20), "poison");
            case DELIVERED -> rig.deliverAll();
            case EVICTED -> {
                rig.deliverAll();
                rig.evictAllOlder();
                assertThat(trace()).isEqualTo(new LocalTrace.Unknown());
            }
        }
        return original;
    }

    /** Once all is delivered: history and ledger say the same, and the uuid stays a duplicate. */
    private Event assertEnd(long revision, boolean deleted) {
        Event newest = rig.history.find(identity()).orElseThrow();
        assertThat(newest.revision()).isEqualTo(revision);
        assertThat(newest.deleted()).isEqualTo(deleted);
        assertThat(trace().headRevision()).isEqualTo(revision);
        assertThat(rig.ledger.pendingRevisions().deleted(rig.project)).isEmpty();
        assertThat(ProofRig.kinds(rig.accept(rig.event(X, "again")))).doesNotContain(Kind.ACCEPTED);
        return newest;
    }

    private void incompleteRecord() {
        rig.evictAllOlder();
        rig.evictAllOlder();
    }

    private MutationAnswer mutateWhile(MutationStep at, Runnable meanwhile, Change change) {
        return door(at, meanwhile).mutate(identity(), change, IfMatch.ANY);
    }

    private MutationDoor door(MutationStep at, Runnable meanwhile) {
        boolean[] done = new boolean[1];
        return rig.mutations(step -> {
            if (step == at && !done[0]) {
                done[0] = true;
                meanwhile.run();
            }
        });
    }

    private MutationAnswer mutate(Change change) {
        return mutate(change, IfMatch.ANY);
    }

    private MutationAnswer mutate(Change change, IfMatch condition) {
        return rig.mutations(MutationSteps.NONE).mutate(identity(), change, condition);
    }

    private EventIdentity identity() {
        return rig.event(X, "").identity();
    }

    private LocalTrace trace() {
        return rig.ledger.mutations().trace(identity());
    }

    static Change patch(String members) {
        return new Change.Patch(
                EventPatch.read(
                        Slice.of(bytes("{\"properties\":{" + members + "}}")),
                        Instant.parse("2026-12-01T00:00:00Z").toEpochMilli() * 1_000,
                        TestService.LIMITS),
                new PatchCost(new BodyBudget(TestService.LIMITS.inFlightBytesMax()).open()));
    }

    static Event changed(MutationAnswer answer) {
        assertThat(answer).isInstanceOf(Changed.class);
        return ((Changed) answer).revision();
    }

    private static Problem problem(MutationAnswer answer) {
        assertThat(answer).isInstanceOf(Refused.class);
        return ((Refused) answer).problem();
    }

    private static Event with(Event original, long revision, String properties) {
        return new Event(
                original.identity(),
                revision,
                false,
                original.name(),
                original.distinctId(),
                original.timestampMicros(),
                original.receivedAtMillis(),
                bytes(properties));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
