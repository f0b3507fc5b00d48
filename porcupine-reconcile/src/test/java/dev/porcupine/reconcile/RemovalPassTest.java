package dev.porcupine.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.ClickHouseSettings;
import dev.porcupine.history.EraseResult;
import dev.porcupine.history.Histories;
import dev.porcupine.history.History;
import dev.porcupine.history.Reliance;
import dev.porcupine.history.Verification;
import dev.porcupine.ledger.DeliveryBarrier;
import dev.porcupine.ledger.QueuedEvent;
import dev.porcupine.ledger.Removal;
import dev.porcupine.ledger.RemovalStage;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.FaultProxy;
import dev.porcupine.testkit.SharedClickHouse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(240)
class RemovalPassTest {

    private static final long LIMIT = 20;

    @TempDir
    Path dir;

    /** Embedded and complete; ClickHouse with a pin, where some receipts of each project were evicted. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void removed_project_is_in_no_store_and_the_others_are_as_before(boolean clickHouse) {
        try (RemovalRig rig = clickHouse ? pinned() : embedded()) {
            ProjectId other = rig.project("other");
            ProjectId project = rig.project("shop");
            List<Event> kept = rig.accept(other, 30);
            List<Event> gone = rig.accept(project, 40);
            rig.deliver();
            rig.accept(other, 5);
            rig.ledger.queue().quarantine(rig.queued(), "bad");
            rig.accept(project, 5);
            rig.ledger.queue().quarantine(rig.queued(), "bad");
            rig.accept(project, 7);
            rig.accept(other, 3);
            assertThat(rig.ledger.pin().pinned().isPresent()).isEqualTo(clickHouse);
            boolean complete = rig.ledger.status().complete();

            rig.ledger.removals().begin(project);
            rig.removeAll();

            rig.assertGone(project);
            assertThat(rig.history.find(gone.getFirst().identity())).isEmpty();
            assertThat(rig.history.count(other)).isEqualTo(30);
            assertThat(rig.history.find(kept.getFirst().identity())).contains(kept.getFirst());
            assertThat(rig.ledger.quarantine().list(other, 0, 100)).hasSize(5);
            assertThat(rig.queued()).hasSize(3);
            assertThat(rig.ledger.status().complete()).isEqualTo(complete);
            Removal.Removed removed =
                    rig.ledger.removals().find(project).orElseThrow().removed();
            assertThat(removed.queued()).isEqualTo(7);
            assertThat(removed.quarantined()).isEqualTo(5);
            assertThat(removed.historyRows()).isEqualTo(40);
            assertThat(rig.meters
                            .get("porcupine.removal.rows")
                            .tag("store", "history")
                            .counter()
                            .count())
                    .isEqualTo(40);
            assertThat(rig.meters
                            .get("porcupine.removal.rows")
                            .tag("store", "ledger")
                            .counter()
                            .count())
                    .isEqualTo((double) (removed.queued() + removed.quarantined() + removed.receipts()));
            assertThat(rig.watch.look())
                    .isInstanceOfSatisfying(
                            Verification.Verified.class,
                            verified -> assertThat(verified.source().warnings()).isEmpty());
            rig.deliver();
        }
    }

    /** A batch that was read before the drop and is inserted after it. */
    @Test
    void removal_waits_for_a_delivery_that_holds_dropped_rows_in_memory() {
        try (RemovalRig rig = embedded()) {
            ProjectId project = rig.project("shop");
            rig.accept(project, 10);
            DeliveryBarrier.Carrier carrier = rig.ledger.deliveries().enter();
            List<QueuedEvent> batch = rig.queued();
            rig.ledger.removals().begin(project);
            assertThat(rig.pass.run()).isInstanceOf(RemovalOutcome.Progressed.class);
            assertThat(rig.queued()).isEmpty();
            for (int n = 0; n < 3; n++) {
                assertThat(rig.pass.run()).isInstanceOf(RemovalOutcome.Waiting.class);
                rig.ticker.advance(Duration.ofHours(1));
            }
            assertThat(rig.ledger.removals().obstacle(project)).isPresent();

            rig.carry(batch);
            carrier.allClear();
            carrier.close();
            assertThat(rig.history.erasure().look(rig.source(), project)).isEqualTo(new EraseResult.Left(10));
            rig.removeAll();

            rig.assertGone(project);
        }
    }

    @Test
    void removal_waits_as_long_as_an_insert_of_a_killed_process_may_last() {
        try (RemovalRig rig = pinned()) {
            ProjectId project = rig.project("shop");
            rig.accept(project, 3);
            List<QueuedEvent> batch = rig.queued();
            rig.ledger.removals().begin(project);
            rig.pass.run();
            rig.restart();
            Duration linger = rig.history.erasure().insertsLinger();
            assertThat(rig.pass.run()).isInstanceOf(RemovalOutcome.Waiting.class);
            rig.ticker.advance(linger.minusNanos(1));
            assertThat(rig.pass.run()).isInstanceOf(RemovalOutcome.Waiting.class);
            // now the server commits what the killed process had sent
            rig.insert(batch.stream().map(QueuedEvent::event).toList());
            rig.ticker.advance(Duration.ofNanos(1));
            assertThat(rig.pass.run()).isEqualTo(new RemovalOutcome.Progressed());

            rig.removeAll();

            rig.assertGone(project);
        }
    }

    @Test
    void row_that_comes_after_the_deletion_begins_it_again() {
        try (RemovalRig rig = embedded()) {
            ProjectId project = rig.project("shop");
            List<Event> events = rig.accept(project, 10);
            rig.deliver();
            rig.ledger.removals().begin(project);
            while (rig.ledger.removals().find(project).orElseThrow().stage() != RemovalStage.RECEIPTS) {
                rig.pass.run();
            }
            rig.insert(events.subList(0, 2));

            rig.pass.run();

            assertThat(rig.ledger.removals().find(project).orElseThrow().stage())
                    .isEqualTo(RemovalStage.HISTORY);
            rig.removeAll();
            rig.assertGone(project);
        }
    }

    @Test
    void restart_after_every_pass_ends_at_the_same_place() {
        try (RemovalRig rig = embedded()) {
            ProjectId project = rig.project("shop");
            ProjectId other = rig.project("other");
            rig.accept(other, 10);
            rig.accept(project, 9_000);
            rig.deliver();
            rig.accept(project, 9_000);
            rig.ledger.removals().begin(project);
            int passes = 0;
            while (!(rig.pass.run() instanceof RemovalOutcome.Idle)) {
                rig.restart();
                passes++;
            }
            assertThat(passes).isGreaterThan(8);
            rig.assertGone(project);
            assertThat(rig.history.count(other)).isEqualTo(10);
        }
    }

    @Test
    void two_projects_go_one_after_the_other() {
        try (RemovalRig rig = embedded()) {
            ProjectId first = rig.project("a");
            ProjectId second = rig.project("b");
            rig.accept(second, 5);
            rig.accept(first, 5);
            rig.deliver();
            rig.ledger.removals().begin(second);
            // Of the same millisecond, the lower number goes first.
            long asked = System.currentTimeMillis();
            while (System.currentTimeMillis() == asked) {
                Thread.onSpinWait();
            }
            rig.ledger.removals().begin(first);
            while (!rig.ledger.removals().find(second).orElseThrow().done()) {
                rig.pass.run();
                assertThat(rig.ledger.removals().find(first).orElseThrow().stage())
                        .isEqualTo(RemovalStage.QUEUE);
            }
            rig.removeAll();
            rig.assertGone(first);
            rig.assertGone(second);
        }
    }

    @Test
    void history_that_is_away_delays_the_removal_keeps_the_receipts_and_is_named() {
        ClickHouseEndpoint server = SharedClickHouse.endpoint();
        try (FaultProxy proxy = FaultProxy.before(server.url());
                RemovalRig rig = new RemovalRig(
                        dir, LIMIT, it -> clickHouse(it, proxy.url(), SharedClickHouse.freshDatabase()))) {
            ProjectId project = rig.project("shop");
            rig.accept(project, 10);
            rig.deliver();
            rig.ticker.advance(rig.history.erasure().insertsLinger());
            rig.ledger.removals().begin(project);
            RemovalLoop loop = new RemovalLoop(rig.pass);
            assertThat(loop.runOnce()).isZero();
            assertThat(loop.runOnce()).isZero();
            proxy.refuseConnections();
            rig.watch.doubt();

            for (int seconds : new int[] {1, 2, 4, 8, 16, 30, 30}) {
                assertThat(loop.runOnce()).isEqualTo(Duration.ofSeconds(seconds));
            }

            assertThat(rig.ledger.removals().obstacle(project)).isPresent();
            assertThat(rig.ledger.status().receipts()).isEqualTo(10);
            proxy.acceptConnections();
            rig.removeAll();
            assertThat(rig.ledger.removals().obstacle(project)).isEmpty();
            rig.assertGone(project);
        }
    }

    private RemovalRig embedded() {
        return new RemovalRig(dir, 0, rig -> Histories.embedded(dir));
    }

    private RemovalRig pinned() {
        return new RemovalRig(
                dir,
                LIMIT,
                rig -> clickHouse(rig, SharedClickHouse.endpoint().url(), SharedClickHouse.freshDatabase()));
    }

    private static History clickHouse(RemovalRig rig, URI url, String database) {
        ClickHouseEndpoint server = SharedClickHouse.endpoint();
        return Histories.clickHouse(
                new ClickHouseSettings(url, database, "events", server.user(), server.password(), null, null, null),
                new SimpleMeterRegistry(),
                () -> rig.ledger.pin().pinned().isPresent() ? Reliance.PINNED : Reliance.COMING,
                null,
                number -> rig.ledger.removals().removes(number));
    }
}
