package dev.porcupine.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class EventUuidMintTest {

    private final AtomicLong now = new AtomicLong(1_796_000_000_000L);
    private final InstantSource clock = () -> Instant.ofEpochMilli(now.get());
    private final EventUuidMint mint = new EventUuidMint(clock);

    @Test
    void a_minted_uuid_is_a_version_7_with_the_time_in_front() {
        EventUuid uuid = mint.next();

        assertThat(uuid.toUuid().version()).isEqualTo(7);
        assertThat(uuid.toUuid().variant()).isEqualTo(2);
        assertThat(uuid.mostSignificant() >>> 16).isEqualTo(now.get());
        assertThat(EventUuid.parse(uuid.toString())).contains(uuid);
    }

    @Test
    void they_ascend_while_the_clock_stands_still() {
        assertAscending(mint(10_000));
    }

    @Test
    void they_ascend_while_the_clock_steps_back_and_leaps() {
        List<EventUuid> minted = new ArrayList<>();
        for (int step : new int[] {0, 1, -5_000, 3, 0, 10_000, -1, -1, 2}) {
            now.addAndGet(step);
            minted.addAll(mint(5_000));
        }
        assertAscending(minted);
    }

    @Test
    void a_full_counter_borrows_from_the_next_millisecond() {
        List<EventUuid> minted = mint(4_097);

        assertThat(minted.get(4_095).mostSignificant() >>> 16).isEqualTo(now.get());
        assertThat(minted.get(4_096).mostSignificant() >>> 16).isEqualTo(now.get() + 1);
        assertThat(minted)
                .allSatisfy(uuid -> assertThat(uuid.toUuid().version()).isEqualTo(7));
    }

    @Test
    void a_clock_before_the_epoch_still_gives_valid_uuids() {
        now.set(-5);
        List<EventUuid> minted = mint(10);

        assertAscending(minted);
        assertThat(minted)
                .allSatisfy(uuid -> assertThat(uuid.toUuid().version()).isEqualTo(7));
    }

    @Test
    void many_threads_never_get_the_same_one() throws Exception {
        Set<EventUuid> all = Collections.synchronizedSet(new HashSet<>());
        int threads = 8;
        CountDownLatch done = new CountDownLatch(threads);
        for (int t = 0; t < threads; t++) {
            Thread.ofPlatform().start(() -> {
                List<EventUuid> own = mint(2_000);
                assertAscending(own);
                all.addAll(own);
                done.countDown();
            });
        }
        done.await();
        assertThat(all).hasSize(threads * 2_000);
    }

    @Test
    void two_processes_with_the_same_clock_get_different_ones() {
        EventUuidMint other = new EventUuidMint(clock);
        assertThat(mint(1_000))
                .doesNotContainAnyElementsOf(
                        Stream.generate(other::next).limit(1_000).toList());
    }

    private List<EventUuid> mint(int count) {
        List<EventUuid> minted = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            minted.add(mint.next());
        }
        return minted;
    }

    private static void assertAscending(List<EventUuid> minted) {
        assertThat(minted).isSorted().doesNotHaveDuplicates();
    }
}
