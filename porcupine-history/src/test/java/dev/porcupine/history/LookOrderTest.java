package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.LedgerLineage;
import dev.porcupine.schema.LedgerMark;
import dev.porcupine.schema.Ticker;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Delivery, removals and the schedule look at once: an older look must not lift what a newer one has proven, nor ask a slow history beside it. */
class LookOrderTest {

    private static final UUID LEDGER = new UUID(1, 1);
    private static final UUID EPOCH = new UUID(1, 2);

    @TempDir
    Path dir;

    @Test
    void an_older_look_does_not_lift_the_barrier_of_a_newer_one() throws Exception {
        LedgerLineage lineage = new LedgerLineage() {
            @Override
            public UUID ledger() {
                return LEDGER;
            }

            @Override
            public UUID epoch() {
                return EPOCH;
            }

            @Override
            public Map<UUID, Long> acceptedByEpoch() {
                return Map.of(EPOCH, 10L);
            }
        };
        CountDownLatch read = new CountDownLatch(1);
        CountDownLatch told = new CountDownLatch(1);
        AtomicInteger looks = new AtomicInteger();
        try (History real = Histories.embedded(dir, lineage)) {
            VerifiedSource source = ((Verification.Verified) real.verify()).source();
            History descheduled = (History) Proxy.newProxyInstance(
                    History.class.getClassLoader(), new Class<?>[] {History.class}, (proxy, method, args) -> {
                        try {
                            Object answer = method.invoke(real, args);
                            if (method.getName().equals("verify") && looks.incrementAndGet() == 1) {
                                read.countDown();
                                told.await();
                            }
                            return answer;
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
            SourceWatch watch = new SourceWatch(descheduled, Ticker.system());
            Thread older = Thread.ofVirtual().start(watch::look);
            read.await();
            // a copy of the ledger has accepted events
            real.mark(source, new LedgerMark(LEDGER, new UUID(1, 3), 99));
            Thread newer = Thread.ofVirtual().start(watch::look);
            told.countDown();
            older.join();
            newer.join();
            assertThat(watch.barriers()).extracting(Finding::code).containsExactly("ledger_stale");
        }
    }

    @Test
    void looks_are_made_one_at_a_time_and_those_who_wait_share_the_next() throws Exception {
        CountDownLatch looking = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger looks = new AtomicInteger();
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger mostAtOnce = new AtomicInteger();
        try (History real = Histories.embedded(dir)) {
            History slow = (History) Proxy.newProxyInstance(
                    History.class.getClassLoader(), new Class<?>[] {History.class}, (proxy, method, args) -> {
                        if (!method.getName().equals("verify")) {
                            return method.invoke(real, args);
                        }
                        mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                        if (looks.incrementAndGet() == 1) {
                            looking.countDown();
                            goOn.await();
                        }
                        try {
                            return real.verify();
                        } finally {
                            atOnce.decrementAndGet();
                        }
                    });
            SourceWatch watch = new SourceWatch(slow, Ticker.system());
            Thread first = Thread.ofVirtual().start(watch::look);
            looking.await();
            List<Thread> later = new ArrayList<>();
            for (int n = 0; n < 5; n++) {
                later.add(Thread.ofPlatform().start(watch::look));
            }
            for (Thread thread : later) {
                while (thread.getState() != Thread.State.WAITING) {
                    Thread.onSpinWait();
                }
            }
            goOn.countDown();
            first.join();
            for (Thread thread : later) {
                thread.join();
            }
            assertThat(mostAtOnce).hasValue(1);
            assertThat(looks).hasValue(2);
        }
    }
}
