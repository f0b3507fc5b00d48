package dev.porcupine.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.porcupine.delivery.PassOutcome.Cause;
import dev.porcupine.delivery.PassOutcome.Progressed;
import dev.porcupine.delivery.PassOutcome.Stalled;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.ClickHouseServer;
import dev.porcupine.testkit.Fault;
import dev.porcupine.testkit.FaultProxy;
import dev.porcupine.testkit.WireRequest;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real ClickHouse that stops, hangs, is killed, or whose answers get lost on the way. */
class OutageTest {

    private static ClickHouseServer server;

    @TempDir
    Path dataDir;

    private FaultProxy proxy;
    private DeliveryRig rig;

    @BeforeAll
    static void startServer() {
        server = ClickHouseServer.start();
    }

    @AfterAll
    static void closeServer() {
        server.close();
    }

    @BeforeEach
    void open() {
        proxy = FaultProxy.before(server.url());
        ClickHouseEndpoint throughProxy = new ClickHouseEndpoint(proxy.url(), server.user(), server.password());
        rig = new DeliveryRig(
                dataDir,
                DeliveryRig.clickHouse(throughProxy, server.freshDatabase()),
                DeliverySettings.defaults().withRowsMax(500));
    }

    @AfterEach
    void nothing_is_lost_or_doubled() {
        rig.assertNothingLostOrDoubled();
        rig.close();
        proxy.close();
    }

    @Test
    void a_stopped_server_keeps_the_queue_and_gets_everything_when_it_is_back() {
        rig.accept(700);
        rig.deliverAll();
        server.stop();
        rig.accept(700);
        assertStalled(Cause.SOURCE_REFUSED, Cause.HISTORY_UNCLEAR);
        rig.accept(700);
        assertStalled(Cause.SOURCE_REFUSED);
        assertThat(rig.ledger.status().queueEvents()).isEqualTo(1_400);
        server.restart();
        rig.deliverAll();
        assertThat(rig.history.count(rig.project)).isEqualTo(2_100);
    }

    @Test
    void a_killed_server_has_what_it_acknowledged() {
        rig.accept(700);
        rig.deliverAll();
        server.kill();
        rig.accept(700);
        assertStalled(Cause.SOURCE_REFUSED, Cause.HISTORY_UNCLEAR);
        server.restart();
        rig.deliverAll();
        assertThat(rig.history.count(rig.project)).isEqualTo(1_400);
    }

    @Test
    void a_hung_server_keeps_the_queue_and_gets_everything_when_it_goes_on() {
        rig.accept(700);
        rig.deliverAll();
        rig.ticker.advance(SourceWatch.REPEAT_AFTER);
        server.suspend();
        try {
            rig.accept(700);
            assertStalled(Cause.SOURCE_REFUSED);
            assertThat(rig.ledger.status().queueEvents()).isEqualTo(700);
        } finally {
            server.resume();
        }
        await().until(() -> rig.pass.run() instanceof Progressed);
        rig.deliverAll();
        assertThat(rig.history.count(rig.project)).isEqualTo(1_400);
    }

    @Test
    void an_acknowledgement_lost_after_the_commit_doubles_nothing() {
        rig.accept(100);
        rig.deliverAll();
        rig.accept(1_200);
        proxy.next(1, Fault.cutAfterUpstream(), OutageTest::isInsert);
        assertStalled(Cause.HISTORY_UNCLEAR);
        assertThat(proxy.faults()).isEqualTo(1);
        assertThat(rig.ledger.status().queueEvents()).isEqualTo(1_200);
        rig.deliverAll();
        assertThat(rig.history.count(rig.project)).isEqualTo(1_300);
    }

    @Test
    void an_insert_cut_on_its_way_is_inserted_again() {
        rig.accept(100);
        rig.deliverAll();
        rig.accept(1_200);
        proxy.next(2, Fault.cutRequest(5_000), OutageTest::isInsert);
        assertStalled(Cause.HISTORY_UNCLEAR);
        assertStalled(Cause.HISTORY_UNCLEAR);
        rig.deliverAll();
        assertThat(rig.history.count(rig.project)).isEqualTo(1_300);
    }

    private void assertStalled(Cause... causes) {
        assertThat(rig.pass.run())
                .isInstanceOfSatisfying(
                        Stalled.class, stalled -> assertThat(stalled.cause()).isIn((Object[]) causes));
    }

    private static boolean isInsert(WireRequest request) {
        return request.target().contains("insert");
    }
}
