package dev.porcupine.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.ledger.WriteLanes.Lane;
import dev.porcupine.ledger.WriteLanes.Offer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WriteLanesTest {

    private final WriteLanes lanes = new WriteLanes(limits(4, 1_000, 3, 100));

    @Test
    void captures_that_wait_are_taken_together_within_both_bounds() throws Exception {
        List<WriteTask<?>> tasks = offer(Lane.CAPTURE, 10, 10, 10, 10);
        assertThat(lanes.take()).isEqualTo(tasks.subList(0, 3));
        assertThat(lanes.take()).isEqualTo(tasks.subList(3, 4));

        tasks = offer(Lane.CAPTURE, 60, 40, 1);
        assertThat(lanes.take()).isEqualTo(tasks.subList(0, 2));
        assertThat(lanes.take()).isEqualTo(tasks.subList(2, 3));
    }

    @Test
    void a_batch_larger_than_a_group_goes_alone() throws Exception {
        List<WriteTask<?>> tasks = offer(Lane.CAPTURE, 5_000, 1);
        assertThat(lanes.take()).isEqualTo(tasks.subList(0, 1));
        assertThat(lanes.take()).isEqualTo(tasks.subList(1, 2));
    }

    @Test
    void every_solo_task_has_a_transaction_of_its_own() throws Exception {
        List<WriteTask<?>> tasks = offer(Lane.SOLO, 1, 1, 1);
        for (WriteTask<?> task : tasks) {
            assertThat(lanes.take()).isEqualTo(List.of(task));
        }
    }

    @Test
    void lanes_that_both_wait_share_the_writer_by_rows() throws Exception {
        WriteLanes wide = new WriteLanes(limits(1_000, 1_000_000, 10, 1_000));
        for (int i = 0; i < 200; i++) {
            wide.offer(Lane.CAPTURE, task(100, 0));
            wide.offer(Lane.SOLO, task(256, 0));
        }
        long captured = 0;
        long settled = 0;
        for (int i = 0; i < 50; i++) {
            List<WriteTask<?>> taken = wide.take();
            long rows = taken.stream().mapToLong(WriteTask::rows).sum();
            if (taken.getFirst().rows() == 100) {
                captured += rows;
            } else {
                settled += rows;
            }
            assertThat(Math.abs(captured - settled)).isLessThanOrEqualTo(1_000 + 256);
        }
        assertThat(captured).isGreaterThan(5_000);
        assertThat(settled).isGreaterThan(5_000);
    }

    @Test
    void small_captures_do_not_starve_settlement_nor_the_reverse() throws Exception {
        WriteLanes wide = new WriteLanes(limits(1_000, 1_000_000, 1, 1_000));
        for (int i = 0; i < 100; i++) {
            wide.offer(Lane.CAPTURE, task(1, 0));
            wide.offer(Lane.SOLO, task(256, 0));
        }
        for (int i = 0; i < 50; i++) {
            assertThat(wide.take().getFirst().rows()).isEqualTo(1);
            assertThat(wide.take().getFirst().rows()).isEqualTo(256);
        }
    }

    @Test
    void a_full_lane_takes_no_more_and_the_other_does() throws Exception {
        offer(Lane.CAPTURE, 1, 1, 1, 1);
        assertThat(lanes.offer(Lane.CAPTURE, task(1, 0))).isEqualTo(Offer.FULL);
        assertThat(lanes.offer(Lane.SOLO, task(1, 0))).isEqualTo(Offer.TAKEN);
        lanes.take();
        assertThat(lanes.offer(Lane.CAPTURE, task(1, 0))).isEqualTo(Offer.TAKEN);
    }

    @Test
    void a_lane_is_full_by_bytes_too_but_an_empty_one_takes_any_batch() throws Exception {
        assertThat(lanes.offer(Lane.CAPTURE, task(1, 5_000))).isEqualTo(Offer.TAKEN);
        assertThat(lanes.offer(Lane.CAPTURE, task(1, 1))).isEqualTo(Offer.FULL);
        lanes.take();
        assertThat(lanes.offer(Lane.CAPTURE, task(1, 999))).isEqualTo(Offer.TAKEN);
        assertThat(lanes.offer(Lane.CAPTURE, task(1, 1))).isEqualTo(Offer.TAKEN);
        assertThat(lanes.offer(Lane.CAPTURE, task(1, 1))).isEqualTo(Offer.FULL);
    }

    @Test
    void a_task_whose_caller_gave_up_is_skipped() throws Exception {
        List<WriteTask<?>> tasks = offer(Lane.CAPTURE, 1, 1);
        assertThat(tasks.getFirst().await(Duration.ZERO)).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(lanes.take()).isEqualTo(tasks.subList(1, 2));
        assertThat(tasks.getFirst().claim()).isFalse();
    }

    @Test
    void closing_hands_back_what_waits_and_takes_no_more() throws Exception {
        List<WriteTask<?>> tasks = offer(Lane.CAPTURE, 1, 1);
        assertThat(lanes.close()).isEqualTo(tasks);
        assertThat(lanes.offer(Lane.SOLO, task(1, 0))).isEqualTo(Offer.CLOSED);
        assertThat(lanes.take()).isEmpty();
        assertThat(lanes.close()).isEmpty();
    }

    private List<WriteTask<?>> offer(Lane lane, int... rows) {
        List<WriteTask<?>> tasks = new ArrayList<>();
        for (int n : rows) {
            WriteTask<?> task = task(n, 0);
            assertThat(lanes.offer(lane, task)).isEqualTo(Offer.TAKEN);
            tasks.add(task);
        }
        return tasks;
    }

    private static WriteTask<?> task(int rows, long bytes) {
        return new WriteTask<>(rows, bytes, transaction -> true);
    }

    private static WriterLimits limits(int tasksMax, long bytesMax, int groupTasks, int groupRows) {
        return new WriterLimits(
                tasksMax,
                bytesMax,
                groupTasks,
                groupRows,
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                1L << 20,
                Duration.ofMillis(1),
                Duration.ZERO);
    }
}
