package dev.porcupine.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.porcupine.history.InsertResult;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.schema.Ticker;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.scheduling.TriggerContext;
import org.springframework.scheduling.support.SimpleTriggerContext;

class DeliveryLoopTest {

    private static final Instant NOON = Instant.parse("2026-11-30T12:00:00Z");

    /** So long that only a drain can be what delivered. */
    private static final Duration LINGER = Duration.ofHours(1);

    private static final DeliverySettings SETTINGS = new DeliverySettings(
            100, 16L << 20, LINGER, Duration.ofMillis(200), Duration.ofSeconds(30), Duration.ofSeconds(20));

    @TempDir
    Path dataDir;

    private final TriggerContext atNoon = new SimpleTriggerContext(Clock.fixed(NOON, ZoneOffset.UTC));
    private DeliveryRig rig;

    @BeforeEach
    void open() {
        rig = new DeliveryRig(dataDir, DeliveryRig.embedded(dataDir), SETTINGS);
    }

    @AfterEach
    void nothing_is_lost_or_doubled() {
        rig.assertNothingLostOrDoubled();
        rig.close();
    }

    @Test
    void an_idle_or_short_queue_lingers_and_a_full_batch_goes_at_once() {
        DeliveryLoop loop = loop(SETTINGS);
        assertThat(pauseAfter(loop)).isEqualTo(LINGER);
        rig.accept(250);
        assertThat(pauseAfter(loop)).isZero();
        assertThat(pauseAfter(loop)).isEqualTo(LINGER);
        assertThat(pauseAfter(loop)).isEqualTo(LINGER);
        assertThat(rig.ledger.status().queueEvents()).isZero();
    }

    @Test
    void failures_back_off_up_to_the_longest_pause_and_success_starts_over() {
        DeliveryLoop loop = loop(SETTINGS);
        rig.accept(1);
        rig.history.onInsert((events, insert) -> new InsertResult.Unknown("cut"));
        List<Long> pauses = new ArrayList<>();
        for (int n = 0; n < 10; n++) {
            pauses.add(pauseAfter(loop).toMillis());
        }
        assertThat(pauses)
                .containsExactly(200L, 400L, 800L, 1_600L, 3_200L, 6_400L, 12_800L, 25_600L, 30_000L, 30_000L);
        assertThat(backoffSeconds()).isEqualTo(30);
        rig.history.steerNoMore();
        assertThat(pauseAfter(loop)).isEqualTo(LINGER);
        assertThat(backoffSeconds()).isZero();
        rig.accept(1);
        rig.history.onInsert((events, insert) -> new InsertResult.Unknown("cut"));
        assertThat(pauseAfter(loop)).isEqualTo(Duration.ofMillis(200));
    }

    @Test
    void it_repeats_the_pass_by_itself() {
        DeliveryLoop loop = loop(withLinger(Duration.ofMillis(5)));
        loop.start();
        try {
            for (int n = 0; n < 5; n++) {
                rig.accept(130);
                await().untilAsserted(() ->
                        assertThat(rig.ledger.status().queueEvents()).isZero());
            }
        } finally {
            loop.stop();
        }
        assertThat(loop.isRunning()).isFalse();
    }

    @Test
    void stopping_drains_the_queue() {
        DeliveryLoop loop = started();
        rig.accept(730);
        loop.stop();
        assertThat(rig.ledger.status().queueEvents()).isZero();
        assertThat(loop.isRunning()).isFalse();
    }

    @Test
    void a_drain_ends_at_the_first_failure_and_keeps_the_rest() {
        DeliveryLoop loop = started();
        rig.accept(730);
        int[] inserts = {0};
        rig.history.onInsert(
                (events, insert) -> ++inserts[0] > 3 ? new InsertResult.Unknown("history went away") : insert.get());
        loop.stop();
        assertThat(inserts[0]).isEqualTo(4);
        assertThat(rig.ledger.status().queueEvents()).isEqualTo(430);
    }

    @Test
    void a_drain_ends_when_its_time_is_up_though_history_hangs() {
        DeliveryLoop loop = loop(SETTINGS.withDrainMax(Duration.ofMillis(300)));
        loop.start();
        await().until(() -> backlogSeen(loop));
        rig.accept(250);
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        rig.history.onInsert((events, insert) -> {
            try {
                never.await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
            return new InsertResult.Unknown("interrupted");
        });
        long started = System.nanoTime();
        loop.stop();
        assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(Duration.ofSeconds(5));
        await().untilAsserted(() -> assertThat(interrupted.getCount()).isZero());
        assertThat(rig.ledger.status().queueEvents()).isEqualTo(250);
        assertThat(loop.isRunning()).isFalse();
    }

    @Test
    void a_stopped_loop_starts_again() throws InterruptedException {
        DeliveryLoop loop = started();
        loop.stop();
        rig.accept(10);
        CountDownLatch inserted = new CountDownLatch(1);
        rig.history.onInsert((events, insert) -> {
            InsertResult result = insert.get();
            inserted.countDown();
            return result;
        });
        loop.start();
        assertThat(inserted.await(10, TimeUnit.SECONDS)).isTrue();
        loop.stop();
        assertThat(rig.ledger.status().queueEvents()).isZero();
    }

    @Test
    void it_stops_after_the_web_server() {
        assertThat(DeliveryLoop.PHASE)
                .isLessThan(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE)
                .isLessThan(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE);
    }

    private DeliveryLoop started() {
        DeliveryLoop loop = loop(SETTINGS);
        loop.start();
        await().until(() -> backlogSeen(loop));
        return loop;
    }

    /** Whether the first pass, which finds an empty queue, has ended. */
    private boolean backlogSeen(DeliveryLoop loop) {
        return NOON.plus(LINGER).equals(loop.nextExecution(atNoon));
    }

    private Duration pauseAfter(DeliveryLoop loop) {
        loop.runOnce();
        Instant next = loop.nextExecution(atNoon);
        assertThat(next).isNotNull();
        return Duration.between(NOON, next);
    }

    private double backoffSeconds() {
        return rig.meters.get("porcupine.delivery.backoff").timeGauge().value(TimeUnit.SECONDS);
    }

    private static DeliverySettings withLinger(Duration linger) {
        return new DeliverySettings(
                SETTINGS.rowsMax(),
                SETTINGS.bytesMax(),
                linger,
                SETTINGS.backoffFirst(),
                SETTINGS.backoffMax(),
                SETTINGS.drainMax());
    }

    private DeliveryLoop loop(DeliverySettings settings) {
        Ledger ledger = rig.ledger;
        Backoff backoff = new Backoff(settings.backoffFirst(), settings.backoffMax(), () -> 0);
        return new DeliveryLoop(rig.pass, ledger, settings, rig.metrics, new DeliveryHealth(Ticker.system()), backoff);
    }
}
