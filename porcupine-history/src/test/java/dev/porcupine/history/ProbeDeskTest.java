package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.schema.Ticker;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class ProbeDeskTest {

    private static final Duration WAIT = Duration.ofSeconds(2);
    private static final Duration DEADLINE = Duration.ofSeconds(5);
    private static final Duration TOTAL = Duration.ofSeconds(7);
    private static final VerifiedSource SOURCE = Sample.source(new UUID(1, 1));

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Set<EventIdentity>> asked = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch gate = new CountDownLatch(1);
    private final Bulkhead slots = Bulkhead.of(
            "probe",
            BulkheadConfig.custom()
                    .maxConcurrentCalls(2)
                    .maxWaitDuration(Duration.ZERO)
                    .build());

    @AfterEach
    void stop() {
        gate.countDown();
        threads.shutdownNow();
    }

    @Test
    void two_run_at_once_and_the_waiting_share_the_third() throws Exception {
        ProbeDesk desk = desk(Ticker.system());
        CompletableFuture<ProbeResult> first = probe(desk, 1);
        CompletableFuture<ProbeResult> second = probe(desk, 2);
        await(() -> asked.size() == 2);
        List<CompletableFuture<ProbeResult>> waiting = new ArrayList<>();
        for (int n = 3; n <= 6; n++) {
            waiting.add(probe(desk, n));
        }
        await(() -> desk.waiting() == 4);
        assertThat(slots.getMetrics().getAvailableConcurrentCalls()).isZero();
        gate.countDown();

        assertThat(known(first)).containsExactly(identity(1));
        assertThat(known(second)).containsExactly(identity(2));
        for (int n = 3; n <= 6; n++) {
            assertThat(known(waiting.get(n - 3))).containsExactly(identity(n));
        }
        assertThat(asked).hasSizeLessThanOrEqualTo(4);
        assertThat(asked.stream().mapToInt(Set::size).sum()).isEqualTo(6);
        assertThat(slots.getMetrics().getAvailableConcurrentCalls()).isEqualTo(2);
    }

    @Test
    void shared_probe_never_asks_for_more_than_the_maximum() throws Exception {
        ProbeDesk desk = desk(Ticker.system());
        probe(desk, 1).isDone();
        probe(desk, 2).isDone();
        await(() -> asked.size() == 2);
        List<CompletableFuture<ProbeResult>> waiting = new ArrayList<>();
        for (int n = 0; n < 9; n++) {
            waiting.add(probe(desk, 10 + 2 * n, 11 + 2 * n));
        }
        await(() -> desk.waiting() == 9);
        gate.countDown();
        for (CompletableFuture<ProbeResult> each : waiting) {
            assertThat(known(each)).hasSize(2);
        }
        assertThat(asked).allMatch(set -> set.size() <= 5);
    }

    @Test
    void waiting_longer_than_the_slot_wait_is_overload_and_leaves_no_trace() throws Exception {
        AtomicLong nanos = new AtomicLong();
        ProbeDesk desk = desk(nanos::get);
        CompletableFuture<ProbeResult> first = probe(desk, 1);
        CompletableFuture<ProbeResult> second = probe(desk, 2);
        await(() -> asked.size() == 2);
        CompletableFuture<ProbeResult> third = probe(desk, 3);
        await(() -> desk.waiting() == 1);
        nanos.addAndGet(WAIT.toNanos());
        assertThat(third.get(10, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(
                        ProbeResult.Failed.class,
                        failed -> assertThat(failed.failure()).isEqualTo(ProbeFailure.OVERLOADED));
        assertThat(desk.waiting()).isZero();
        gate.countDown();
        assertThat(known(first)).hasSize(1);
        assertThat(known(second)).hasSize(1);
        assertThat(asked).hasSize(2);
    }

    @Test
    void failure_of_a_shared_probe_is_everyones() throws Exception {
        ProbeDesk desk = new ProbeDesk(
                slots,
                (source, identities, deadline) -> {
                    asked.add(identities);
                    pass();
                    return new ProbeResult.Failed(ProbeFailure.OUTAGE, "down");
                },
                Ticker.system(),
                5,
                DEADLINE);
        List<CompletableFuture<ProbeResult>> all = new ArrayList<>();
        for (int n = 1; n <= 6; n++) {
            all.add(probe(desk, n));
        }
        await(() -> desk.waiting() == 4);
        gate.countDown();
        for (CompletableFuture<ProbeResult> each : all) {
            assertThat(each.get(10, TimeUnit.SECONDS)).isInstanceOf(ProbeResult.Failed.class);
        }
    }

    @Test
    void prober_that_throws_gives_its_slot_back_and_nobody_an_absence() throws Exception {
        ProbeDesk desk = new ProbeDesk(
                slots,
                (source, identities, deadline) -> {
                    throw new IllegalStateException("planted");
                },
                Ticker.system(),
                5,
                DEADLINE);
        assertThatThrownBy(() -> desk.probe(SOURCE, Set.of(identity(1)), WAIT, TOTAL))
                .hasMessage("planted");
        assertThat(slots.getMetrics().getAvailableConcurrentCalls()).isEqualTo(2);
    }

    @Test
    void requests_that_trust_another_table_are_not_taken_along() throws Exception {
        ProbeDesk desk = desk(Ticker.system());
        CompletableFuture<ProbeResult> first = probe(desk, 1);
        CompletableFuture<ProbeResult> second = probe(desk, 2);
        await(() -> asked.size() == 2);
        VerifiedSource other = Sample.source(new UUID(2, 2));
        CompletableFuture<ProbeResult> third = probe(desk, 3);
        await(() -> desk.waiting() == 1);
        CompletableFuture<ProbeResult> fourth =
                CompletableFuture.supplyAsync(() -> desk.probe(other, Set.of(identity(4)), WAIT, TOTAL), threads);
        await(() -> desk.waiting() == 2);
        gate.countDown();
        for (CompletableFuture<ProbeResult> each : List.of(first, second, third, fourth)) {
            assertThat(known(each)).hasSize(1);
        }
        assertThat(asked).allMatch(set -> set.size() == 1);
    }

    @Test
    void probe_gets_what_is_left_of_the_total_and_never_more_than_its_maximum() {
        AtomicLong nanos = new AtomicLong();
        List<Duration> deadlines = Collections.synchronizedList(new ArrayList<>());
        ProbeDesk desk = new ProbeDesk(
                slots,
                (source, identities, deadline) -> {
                    deadlines.add(deadline);
                    return new ProbeResult.Complete(identities);
                },
                nanos::get,
                5,
                DEADLINE);
        desk.probe(SOURCE, Set.of(identity(1)), WAIT, TOTAL);
        desk.probe(SOURCE, Set.of(identity(1)), WAIT, Duration.ofSeconds(3));
        assertThat(deadlines).containsExactly(DEADLINE, Duration.ofSeconds(3));
    }

    @Test
    void nothing_and_too_much_are_refused() {
        ProbeDesk desk = desk(Ticker.system());
        assertThatThrownBy(() -> desk.probe(SOURCE, Set.of(), WAIT, TOTAL))
                .isInstanceOf(IllegalArgumentException.class);
        Set<EventIdentity> six = new HashSet<>();
        for (int n = 1; n <= 6; n++) {
            six.add(identity(n));
        }
        assertThatThrownBy(() -> desk.probe(SOURCE, six, WAIT, TOTAL)).isInstanceOf(IllegalArgumentException.class);
    }

    /** A desk for at most five identities a probe, whose history knows everything once the gate opens. */
    private ProbeDesk desk(Ticker ticker) {
        return new ProbeDesk(
                slots,
                (source, identities, deadline) -> {
                    asked.add(identities);
                    pass();
                    return new ProbeResult.Complete(identities);
                },
                ticker,
                5,
                DEADLINE);
    }

    private void pass() {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private CompletableFuture<ProbeResult> probe(ProbeDesk desk, int... numbers) {
        Set<EventIdentity> identities = new HashSet<>();
        for (int number : numbers) {
            identities.add(identity(number));
        }
        return CompletableFuture.supplyAsync(() -> desk.probe(SOURCE, identities, WAIT, TOTAL), threads);
    }

    private static Set<EventIdentity> known(CompletableFuture<ProbeResult> result) throws Exception {
        return ((ProbeResult.Complete) result.get(10, TimeUnit.SECONDS)).known();
    }

    private static void await(java.util.concurrent.Callable<Boolean> condition) {
        org.awaitility.Awaitility.await().atMost(Duration.ofSeconds(10)).until(condition);
    }

    private static EventIdentity identity(int n) {
        return new EventIdentity(new ProjectId(1), new EventUuid(1, n));
    }
}
