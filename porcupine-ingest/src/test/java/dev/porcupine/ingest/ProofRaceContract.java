package dev.porcupine.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.History;
import dev.porcupine.ledger.AcceptResult;
import dev.porcupine.ledger.Verdict.Kind;
import dev.porcupine.schema.Event;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every race of the protocol, forced: while one batch stands at a step of its proof, something else happens. Number 1 is the event in
 * question; "mine" is the batch under test.
 */
@Timeout(240)
abstract class ProofRaceContract {

    private static final long X = 1;
    private static final long Y = 2;
    private static final int LIMIT = 3;

    private ProofRig rig;

    abstract History openHistory(Path dir);

    @BeforeEach
    void open(@TempDir Path dir) {
        rig = new ProofRig(dir.resolve("ledger"), openHistory(dir), LIMIT);
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = ProofStep.class,
            names = {"PREFLIGHT", "LEASED", "REREAD", "PROBED"})
    void other_batch_accepts_it_while_mine_stands_at(ProofStep step) {
        incompleteRecord();
        assertThat(mine(
                        step,
                        () -> assertThat(kinds(rig.accept(rig.event(X, "theirs"))))
                                .containsExactly(Kind.ACCEPTED)))
                .containsExactly(Kind.KNOWN_IN_QUEUE, Kind.ACCEPTED);
        assertFirstPayloadWon();
    }

    @ParameterizedTest
    @EnumSource(
            value = ProofStep.class,
            names = {"PREFLIGHT", "LEASED", "REREAD", "PROBED"})
    void other_batch_accepts_and_delivers_it_while_mine_stands_at(ProofStep step) {
        incompleteRecord();
        List<Kind> kinds = mine(step, () -> rig.acceptAndDeliver(X, "theirs"));
        assertThat(kinds.getFirst()).isIn(Kind.KNOWN_BY_RECEIPT, Kind.KNOWN_IN_HISTORY);
        assertThat(kinds.getLast()).isEqualTo(Kind.ACCEPTED);
        assertFirstPayloadWon();
    }

    @ParameterizedTest
    @EnumSource(
            value = ProofStep.class,
            names = {"PREFLIGHT", "LEASED", "REREAD", "PROBED"})
    void it_is_accepted_delivered_and_pushed_out_while_mine_stands_at(ProofStep step) {
        incompleteRecord();
        Kind kind = mine(step, () -> {
                    rig.acceptAndDeliver(X, "theirs");
                    rig.evictAllOlder();
                })
                .getFirst();
        // Before the lease it is evicted and history names it; from the lease on it can't be.
        assertThat(kind)
                .isIn(
                        step == ProofStep.PREFLIGHT
                                ? List.of(Kind.KNOWN_IN_HISTORY)
                                : List.of(Kind.KNOWN_BY_RECEIPT, Kind.KNOWN_IN_HISTORY));
        assertFirstPayloadWon();
    }

    @Test
    void receipt_known_at_preflight_may_be_evicted_at_once() {
        incompleteRecord();
        rig.acceptAndDeliver(X, "theirs");
        assertThat(mine(ProofStep.PREFLIGHT, rig::evictAllOlder)).containsExactly(Kind.KNOWN_BY_RECEIPT, Kind.ACCEPTED);
        assertFirstPayloadWon();
    }

    @Test
    void receipt_evicted_before_preflight_is_named_by_history() {
        rig.acceptAndDeliver(X, "theirs");
        rig.evictAllOlder();
        assertThat(kinds(rig.accept(rig.event(X, "mine"), rig.event(Y, "mine"))))
                .containsExactly(Kind.KNOWN_IN_HISTORY, Kind.ACCEPTED);
        assertFirstPayloadWon();
    }

    @Test
    void first_eviction_after_a_local_proof_makes_it_ask_history() {
        rig.acceptAndDeliver(X, "theirs");
        assertThat(rig.ledger.localRecord().complete()).isTrue();
        List<Kind> kinds = mine(ProofStep.COMPLETE, () -> {
            rig.evictAllOlder();
            assertThat(rig.ledger.localRecord().complete()).isFalse();
        });
        assertThat(kinds).containsExactly(Kind.KNOWN_IN_HISTORY, Kind.ACCEPTED);
        assertFirstPayloadWon();
    }

    @Test
    void unrelated_eviction_forces_no_second_proof() {
        incompleteRecord();
        List<ProofStep> seen = new ArrayList<>();
        AcceptResult result = rig.door(step -> {
                    seen.add(step);
                    if (step == ProofStep.PROBED) {
                        rig.evictAllOlder();
                    }
                })
                .accept(List.of(rig.event(Y, "mine")));
        assertThat(kinds(result)).containsExactly(Kind.ACCEPTED);
        assertThat(seen)
                .containsExactly(
                        ProofStep.PREFLIGHT, ProofStep.LEASED, ProofStep.REREAD, ProofStep.PROBED, ProofStep.WRITTEN);
    }

    @ParameterizedTest
    @ValueSource(longs = {29_900, 30_000, 30_100})
    void proof_under_a_dead_lease_is_made_again(long millis) {
        incompleteRecord();
        List<ProofStep> seen = new ArrayList<>();
        boolean[] moved = new boolean[1];
        AcceptResult result = rig.door(step -> {
                    seen.add(step);
                    if (step == ProofStep.PROBED && !moved[0]) {
                        moved[0] = true;
                        rig.leaseTicker.advance(Duration.ofMillis(millis));
                    }
                })
                .accept(List.of(rig.event(Y, "mine")));
        assertThat(kinds(result)).containsExactly(Kind.ACCEPTED);
        assertThat(seen.stream().filter(ProofStep.PROBED::equals).count()).isEqualTo(millis < 30_000 ? 1 : 2);
    }

    @Test
    void event_that_came_and_went_under_a_dead_lease_is_a_duplicate() {
        incompleteRecord();
        assertThat(mine(ProofStep.PROBED, () -> {
                    rig.leaseTicker.advance(Duration.ofSeconds(30));
                    rig.acceptAndDeliver(X, "theirs");
                    rig.evictAllOlder();
                }))
                .containsExactly(Kind.KNOWN_IN_HISTORY, Kind.ACCEPTED);
        assertFirstPayloadWon();
    }

    @Test
    void proof_that_never_holds_ends_in_a_refusal() {
        incompleteRecord();
        AcceptResult result = rig.door(step -> {
                    if (step == ProofStep.PROBED) {
                        rig.leaseTicker.advance(Duration.ofSeconds(31));
                    }
                })
                .accept(List.of(rig.event(Y, "mine")));
        assertThat(result).isInstanceOf(AcceptResult.Refused.class);
        assertThat(rig.ledger.status().queueEvents()).isZero();
    }

    @Test
    void every_lease_is_given_back() {
        incompleteRecord();
        rig.accept(rig.event(Y, "mine"));
        rig.accept(rig.event(Y, "mine"));
        assertThat(rig.ledger.status().leases()).isZero();
    }

    @Test
    void restart_between_delivery_and_eviction_forgets_nothing() {
        rig.acceptAndDeliver(X, "theirs");
        rig.restart();
        rig.evictAllOlder();
        rig.restart();
        assertThat(kinds(rig.accept(rig.event(X, "mine")))).containsExactly(Kind.KNOWN_IN_HISTORY);
    }

    /** Two batches with the same event, at every interleaving of their steps. */
    @Test
    void two_equal_batches_accept_it_once_at_every_interleaving() {
        incompleteRecord();
        int number = 100;
        List<List<Integer>> orders = Interleavings.of(ProofStep.values().length, ProofStep.values().length);
        for (List<Integer> order : orders) {
            Event first = rig.event(number, "first");
            Event second = rig.event(number, "second");
            List<AcceptResult> results = Interleavings.run(
                    order,
                    List.of(
                            steps -> rig.door(steps).accept(List.of(first)),
                            steps -> rig.door(steps).accept(List.of(second))));
            assertThat(results.stream()
                            .flatMap(result -> kinds(result).stream())
                            .filter(Kind.ACCEPTED::equals))
                    .as("order %s", order)
                    .hasSize(1);
            number++;
            if (number % 50 == 0) {
                rig.deliverAll();
            }
        }
    }

    private List<Kind> mine(ProofStep at, Runnable meanwhile) {
        boolean[] done = new boolean[1];
        AcceptResult result = rig.door(step -> {
                    if (step == at && !done[0]) {
                        done[0] = true;
                        meanwhile.run();
                    }
                })
                .accept(List.of(rig.event(X, "mine"), rig.event(Y, "mine")));
        assertThat(done[0]).as("the batch came by " + at).isTrue();
        return kinds(result);
    }

    private void incompleteRecord() {
        rig.evictAllOlder();
        rig.evictAllOlder();
        assertThat(rig.ledger.localRecord().complete()).isFalse();
    }

    private void assertFirstPayloadWon() {
        rig.deliverAll();
        assertThat(rig.history.find(rig.event(X, "theirs").identity())).contains(rig.event(X, "theirs"));
        assertThat(rig.ledger.status().leases()).isZero();
    }

    private static List<Kind> kinds(AcceptResult result) {
        return ProofRig.kinds(result);
    }
}
