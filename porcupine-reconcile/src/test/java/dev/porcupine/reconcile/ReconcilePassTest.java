package dev.porcupine.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.porcupine.history.Histories;
import dev.porcupine.history.ProbePurpose;
import dev.porcupine.history.ProbeResult;
import dev.porcupine.history.Verification;
import dev.porcupine.history.VerifiedSource;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.testkit.Fault;
import dev.porcupine.testkit.FaultProxy;
import dev.porcupine.testkit.SharedClickHouse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(240)
class ReconcilePassTest {

    private static final int LIMIT = 100;

    @TempDir
    Path dir;

    @ParameterizedTest
    @ValueSource(ints = {1, 255, 256, 257, 1_000})
    void ledger_whose_history_is_whole_converges_to_its_limit(int receipts) {
        try (ReconcileRig rig = embedded(7, receipts)) {
            rig.putIntoHistory(0, receipts);
            assertThat(rig.passUntilQuiet()).isInstanceOf(ReconcileOutcome.Idle.class);
            assertThat(rig.ledger.status().receipts()).isEqualTo(Math.min(LIMIT, receipts));
            assertThat(rig.ledger.status().unprovenReceipts()).isZero();
            assertThat(rig.pass.convergence()).isEqualTo(new Convergence.Converged());
            assertEveryOneIsStillKnown(rig, receipts);
        }
    }

    @Test
    void no_pass_proves_or_evicts_more_than_256() {
        try (ReconcileRig rig = embedded(3, 2_000)) {
            rig.putIntoHistory(0, 2_000);
            long evicted = 0;
            while (!(rig.pass.run() instanceof ReconcileOutcome.Idle)) {
                long now = rig.ledger.status().evictedReceipts();
                assertThat(now - evicted).isLessThanOrEqualTo(256);
                evicted = now;
            }
            assertThat(evicted).isEqualTo(2_000 - LIMIT);
        }
    }

    @Test
    void missing_history_blocks_is_counted_by_project_and_never_evicted() {
        try (ReconcileRig rig = embedded(4, 1_000)) {
            rig.putIntoHistory(0, 600);
            rig.passUntilQuiet();
            assertThat(rig.pass.convergence())
                    .isEqualTo(new Convergence.Blocked(
                            300,
                            Map.of(
                                    rig.projects.get(0), 100L,
                                    rig.projects.get(1), 100L,
                                    rig.projects.get(2), 100L,
                                    rig.projects.get(3), 100L)));
            assertThat(rig.ledger.status().receipts()).isEqualTo(400);
            assertThat(rig.ledger.status().unprovenReceipts()).isEqualTo(400);
            assertThat(rig.ledger.status().overLimit()).isTrue();
            assertThat(rig.ledger
                            .localRecord()
                            .look(IntStream.range(600, 1_000)
                                    .mapToObj(rig::event)
                                    .toList())
                            .known())
                    .hasSize(400);

            rig.putIntoHistory(600, 1_000);
            rig.passUntilQuiet();
            assertThat(rig.pass.convergence()).isEqualTo(new Convergence.Converged());
            assertEveryOneIsStillKnown(rig, 1_000);
        }
    }

    @Test
    void raised_or_removed_limit_opens_at_once() {
        try (ReconcileRig rig = embedded(2, 500)) {
            rig.passUntilQuiet();
            assertThat(rig.ledger.status().overLimit()).isTrue();
            rig.restart(500);
            assertThat(rig.ledger.status().overLimit()).isFalse();
            rig.restart(0);
            assertThat(rig.ledger.status().overLimit()).isFalse();
            assertThat(rig.pass.run()).isInstanceOf(ReconcileOutcome.Idle.class);
        }
    }

    @Test
    void limit_may_change_between_restarts() {
        try (ReconcileRig rig = embedded(5, 1_000)) {
            rig.putIntoHistory(0, 1_000);
            for (long limit : new long[] {1_000, 10, 0, 1_000}) {
                rig.restart(limit);
                rig.passUntilQuiet();
                while (rig.ledger.eviction().evict() > 0) {
                    assertThat(rig.ledger.status().receipts()).isPositive();
                }
                assertThat(rig.ledger.status().overLimit()).isFalse();
                assertEveryOneIsStillKnown(rig, 1_000);
            }
        }
    }

    @Test
    void restart_between_any_two_passes_goes_on_where_it_was() {
        Random random = new Random(5);
        try (ReconcileRig rig = embedded(40, 3_000)) {
            rig.putIntoHistory(0, 3_000);
            int passes = 0;
            while (!(rig.pass.run() instanceof ReconcileOutcome.Idle)) {
                passes++;
                if (random.nextInt(3) == 0) {
                    rig.restart(LIMIT);
                }
            }
            assertThat(passes).isLessThanOrEqualTo(3_000 / 256 + 4);
            assertThat(rig.ledger.status().receipts()).isEqualTo(LIMIT);
            assertEveryOneIsStillKnown(rig, 3_000);
        }
    }

    @Test
    void probe_whose_mark_was_lost_is_made_again() {
        try (ReconcileRig rig = embedded(3, 600)) {
            rig.putIntoHistory(0, 600);
            assertThat(rig.ledger.reconciliation().next().identities()).hasSize(256);
            rig.restart(LIMIT);
            rig.passUntilQuiet();
            assertThat(rig.ledger.status().receipts()).isEqualTo(LIMIT);
        }
    }

    @Test
    void another_source_proves_nothing() {
        try (ReconcileRig rig = embedded(3, 600)) {
            rig.putIntoHistory(0, 300);
            rig.passUntilQuiet();
            long unproven = rig.ledger.status().unprovenReceipts();
            try (ReconcileRig other = embedded(1, 0, dir.resolve("other"))) {
                VerifiedSource foreign = ((Verification.Verified) other.watch.current()).source();
                assertThatThrownBy(() -> rig.ledger
                                .reconciliation()
                                .settle(
                                        rig.ledger.reconciliation().next(),
                                        Set.copyOf(rig.ledger
                                                .reconciliation()
                                                .next()
                                                .identities()),
                                        foreign.identity()))
                        .isInstanceOf(ProblemException.class);
            }
            assertThat(rig.ledger.status().unprovenReceipts()).isEqualTo(unproven);
        }
    }

    @Test
    void without_a_limit_nothing_is_proven() {
        try (ReconcileRig rig = new ReconcileRig(dir.resolve("ledger"), Histories.embedded(dir), 2, 300, 0)) {
            rig.putIntoHistory(0, 300);
            assertThat(rig.pass.run()).isInstanceOf(ReconcileOutcome.Idle.class);
            assertThat(rig.ledger.pin().pinned()).isEmpty();
            assertThat(rig.ledger.status().unprovenReceipts()).isEqualTo(300);
        }
    }

    @Test
    void converges_on_the_real_clickhouse() {
        try (ReconcileRig rig = new ReconcileRig(dir.resolve("ledger"), ReconcileRig.clickHouse(), 40, 6_000, LIMIT)) {
            rig.putIntoHistory(0, 5_000);
            rig.passUntilQuiet();
            assertThat(rig.pass.convergence()).isInstanceOf(Convergence.Blocked.class);
            assertThat(rig.ledger.status().receipts()).isEqualTo(1_000);
            rig.putIntoHistory(5_000, 6_000);
            rig.passUntilQuiet();
            assertThat(rig.ledger.status().receipts()).isEqualTo(LIMIT);
            assertEveryOneIsStillKnown(rig, 6_000);
        }
    }

    @Test
    void history_that_holds_none_of_them_is_not_pinned() {
        try (ReconcileRig rig = embedded(3, 600)) {
            rig.passUntilQuiet();
            assertThat(rig.ledger.pin().pinned()).isEmpty();
            assertThat(rig.pass.convergence()).isInstanceOf(Convergence.Blocked.class);
            rig.putIntoHistory(0, 1);
            rig.pass.run();
            assertThat(rig.ledger.pin().pinned()).isPresent();
        }
    }

    /** Receipts of project 2 are never answered for, whatever else the same question holds. */
    @Test
    void projects_that_clickhouse_answers_for_converge_although_it_fails_for_another() {
        try (FaultProxy network = FaultProxy.before(SharedClickHouse.endpoint().url());
                ReconcileRig rig = new ReconcileRig(
                        dir.resolve("ledger"), ReconcileRig.clickHouse(network.url()), 3, 1_800, LIMIT)) {
            rig.putIntoHistory(0, 1_800);
            network.always(
                    Fault.reset(), request -> request.mentions("/* porcupine:receipts */") && request.mentions("(2,'"));

            ReconcileOutcome.RoundDone first = passUntilRoundDone(rig);
            assertThat(first.proven()).isEqualTo(1_200);
            assertThat(rig.ledger.status().unprovenReceipts()).isEqualTo(600);
            ReconcileOutcome.RoundDone second = passUntilRoundDone(rig);
            assertThat(second.proven()).isZero();
            assertThat(second.missing()).isPositive();
            assertThat(rig.pass.convergence())
                    .as("nothing is known to be missing")
                    .isInstanceOf(Convergence.Converging.class);
            assertThat(rig.ledger.status().receipts()).isEqualTo(600);

            network.heal();
            assertThat(passUntilRoundDone(rig)).isEqualTo(new ReconcileOutcome.RoundDone(600, 0));
            assertThat(rig.ledger.status().receipts()).isEqualTo(LIMIT);
            assertEveryOneIsStillKnown(rig, 1_800);
        }
    }

    private static ReconcileOutcome.RoundDone passUntilRoundDone(ReconcileRig rig) {
        for (int n = 0; n < 100; n++) {
            rig.watch.pass();
            if (rig.pass.run() instanceof ReconcileOutcome.RoundDone done) {
                return done;
            }
        }
        throw new AssertionError("no round was done in 100 passes");
    }

    private ReconcileRig embedded(int projects, int receipts) {
        return embedded(projects, receipts, dir);
    }

    private static ReconcileRig embedded(int projects, int receipts, Path folder) {
        return new ReconcileRig(
                folder.resolve("ledger"), Histories.embedded(folder), Math.max(1, projects), receipts, LIMIT);
    }

    /** I1: in the local record or in pinned history. */
    private static void assertEveryOneIsStillKnown(ReconcileRig rig, int receipts) {
        Set<EventIdentity> unknown = new HashSet<>();
        for (int n = 0; n < receipts; n++) {
            unknown.add(rig.event(n).identity());
        }
        List<Event> events = IntStream.range(0, receipts).mapToObj(rig::event).toList();
        rig.ledger
                .localRecord()
                .look(events)
                .known()
                .keySet()
                .forEach(uuid -> unknown.removeIf(identity -> identity.uuid().equals(uuid)));
        VerifiedSource source = ((Verification.Verified) rig.watch.current()).source();
        if (!unknown.isEmpty()) {
            assertThat(rig.history.probe(source, unknown, Duration.ofSeconds(30), ProbePurpose.CAPTURE))
                    .isEqualTo(new ProbeResult.Complete(unknown));
        }
    }
}
