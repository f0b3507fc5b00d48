package dev.porcupine.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.delivery.PassOutcome.Cause;
import dev.porcupine.delivery.PassOutcome.Idle;
import dev.porcupine.delivery.PassOutcome.Progressed;
import dev.porcupine.delivery.PassOutcome.Stalled;
import dev.porcupine.history.InsertResult;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.ledger.QuarantinedEvent;
import dev.porcupine.ledger.Verdict;
import dev.porcupine.schema.Event;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.SharedClickHouse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Events that the real ClickHouse refuses: an operator's CHECK constraint rejects those named {@code poison}. */
class PoisonTest {

    /** Inserts that find one row among 1,000: the batch, and two for each of ten halvings. */
    private static final int INSERTS_FOR_ONE_IN_THOUSAND = 21;

    @TempDir
    Path dataDir;

    private final ClickHouseEndpoint clickHouse = SharedClickHouse.endpoint();
    private final String database = SharedClickHouse.freshDatabase();
    private DeliveryRig rig;

    @BeforeEach
    void open() {
        rig = new DeliveryRig(dataDir, DeliveryRig.clickHouse(clickHouse, database), DeliverySettings.defaults());
        constrain("event != 'poison'");
    }

    @AfterEach
    void nothing_is_lost_or_doubled() {
        rig.assertNothingLostOrDoubled();
        rig.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 500, 999})
    void one_poison_among_a_thousand_is_quarantined_alone(int place) {
        List<Event> events = rig.accept(batchWithPoisonAt(1_000, place));
        assertThat(rig.pass.run()).isEqualTo(new Progressed(999, 1, false));
        assertThat(rig.quarantined()).singleElement().satisfies(entry -> {
            assertThat(entry.event()).isEqualTo(events.get(place));
            assertThat(entry.reason()).contains("469");
        });
        assertThat(rig.history.insertedRows()).hasSizeLessThanOrEqualTo(INSERTS_FOR_ONE_IN_THOUSAND);
        assertThat(rig.verdicts(List.of(events.get(place)))).containsOnly(Verdict.Kind.KNOWN_IN_QUARANTINE);
        assertThat(rig.eventsMetered("quarantined")).isEqualTo(1);
    }

    @Test
    void scattered_poison_is_quarantined_and_all_else_is_delivered() {
        long seed = 42;
        Random random = new Random(seed);
        int[] places = random.ints(0, 2_000).distinct().limit(30).toArray();
        rig.accept(batchWithPoisonAt(2_000, places));
        rig.deliverAll();
        assertThat(rig.quarantined()).as("seed %d", seed).hasSize(30);
        assertThat(rig.history.count(rig.project)).as("seed %d", seed).isEqualTo(1_970);
    }

    @Test
    void a_lone_poison_row_is_quarantined_only_when_refused_in_three_passes() {
        rig.accept(batchWithPoisonAt(1, 0));
        assertThat(rig.pass.run())
                .isInstanceOfSatisfying(
                        Stalled.class, stalled -> assertThat(stalled.cause()).isEqualTo(Cause.ROWS_REFUSED));
        assertThat(rig.pass.run()).isInstanceOf(Stalled.class);
        assertThat(rig.quarantined()).isEmpty();
        assertThat(rig.pass.run()).isEqualTo(new Progressed(0, 1, false));
        assertThat(rig.pass.run()).isEqualTo(new Idle());
    }

    @Test
    void a_batch_of_nothing_but_poison_ends_in_quarantine_a_bounded_part_at_a_time() {
        rig.accept(batchWithPoisonAt(200, IntStream.range(0, 200).toArray()));
        int passes = 0;
        int quarantinedBefore = 0;
        while (!(rig.pass.run() instanceof Idle)) {
            int quarantined = rig.quarantined().size();
            assertThat(quarantined - quarantinedBefore).isLessThanOrEqualTo(BatchDelivery.REFUSED_ALONE_MAX);
            quarantinedBefore = quarantined;
            assertThat(++passes).isLessThan(50);
        }
        assertThat(rig.quarantined()).hasSize(200);
        assertThat(rig.history.count(rig.project)).isZero();
    }

    @Test
    void a_block_of_poison_before_good_rows_does_not_hold_those_back() {
        rig.accept(batchWithPoisonAt(1_000, IntStream.range(0, 300).toArray()));
        assertThat(rig.pass.run()).isInstanceOfSatisfying(Progressed.class, progressed -> {
            assertThat(progressed.delivered()).isGreaterThanOrEqualTo(500);
            assertThat(progressed.quarantined()).isEqualTo(BatchDelivery.REFUSED_ALONE_MAX);
        });
        assertThat(rig.history.insertedRows()).hasSizeLessThanOrEqualTo(BatchDelivery.INSERTS_MAX);
        while (!(rig.pass.run() instanceof Idle)) {
            assertThat(rig.history.insertedRows()).hasSizeLessThan(2_000);
        }
        assertThat(rig.quarantined()).hasSize(300);
        assertThat(rig.history.count(rig.project)).isEqualTo(700);
    }

    @Test
    void a_table_that_refuses_everything_for_a_while_fills_no_quarantine() {
        unconstrain();
        constrain("event = 'nothing is called so'");
        rig.accept(500);
        assertThat(rig.pass.run()).isInstanceOf(Stalled.class);
        assertThat(rig.pass.run()).isInstanceOf(Stalled.class);
        assertThat(rig.quarantined()).isEmpty();
        unconstrain();
        rig.deliverAll();
        assertThat(rig.quarantined()).isEmpty();
        assertThat(rig.history.count(rig.project)).isEqualTo(500);
    }

    @Test
    void refusals_are_counted_again_after_a_row_went_through() {
        rig.accept(batchWithPoisonAt(1, 0));
        assertThat(rig.pass.run()).isInstanceOf(Stalled.class);
        assertThat(rig.pass.run()).isInstanceOf(Stalled.class);
        unconstrain();
        rig.deliverAll();
        assertThat(rig.quarantined()).isEmpty();
    }

    @Test
    void an_unclear_answer_amid_the_halving_keeps_what_is_not_decided() {
        rig.accept(batchWithPoisonAt(1_000, 10));
        int[] inserts = {0};
        rig.history.onInsert((events, insert) -> ++inserts[0] == 5 ? new InsertResult.Unknown("cut") : insert.get());
        assertThat(rig.pass.run()).isEqualTo(new Stalled(Cause.HISTORY_UNCLEAR, "cut", null));
        assertThat(rig.ledger.status().receipts()).isBetween(500L, 999L);
        assertThat(rig.quarantined()).isEmpty();
        rig.history.steerNoMore();
        rig.deliverAll();
        assertThat(rig.quarantined()).hasSize(1);
    }

    @Test
    void a_crash_amid_the_halving_loses_and_doubles_nothing() {
        Set<Integer> sizes = new HashSet<>();
        for (int step = 1; step <= 9; step++) {
            List<Event> events = batchWithPoisonAt(64, step);
            rig.accept(events);
            int last = step;
            int[] inserts = {0};
            rig.history.onInsert((rows, insert) -> {
                InsertResult result = insert.get();
                sizes.add(rows.size());
                if (++inserts[0] == last) {
                    throw new AssertionError("crash");
                }
                return result;
            });
            try {
                rig.deliverAll();
            } catch (AssertionError crash) {
                assertThat(crash).hasMessage("crash");
            }
            rig.restart();
            rig.history.steerNoMore();
            while (!(rig.pass.run() instanceof Idle)) {
                assertThat(rig.history.insertedRows()).hasSizeLessThan(1_000);
            }
            assertThat(rig.quarantined()).hasSize(step);
        }
        assertThat(sizes).contains(64, 32, 16);
    }

    @Test
    void a_retry_after_the_cause_is_gone_delivers() {
        rig.accept(batchWithPoisonAt(3, 1));
        rig.deliverAll();
        QuarantinedEvent entry = rig.quarantined().getFirst();
        unconstrain();
        assertThat(rig.ledger.quarantine().retry(rig.project, entry.seq())).isTrue();
        rig.deliverAll();
        assertThat(rig.quarantined()).isEmpty();
        assertThat(rig.history.count(rig.project)).isEqualTo(3);
    }

    @Test
    void a_retry_while_the_cause_stays_returns_to_quarantine() {
        rig.accept(batchWithPoisonAt(3, 1));
        rig.deliverAll();
        assertThat(rig.ledger
                        .quarantine()
                        .retry(rig.project, rig.quarantined().getFirst().seq()))
                .isTrue();
        rig.accept(1);
        rig.deliverAll();
        assertThat(rig.quarantined()).hasSize(1);
    }

    private List<Event> batchWithPoisonAt(int rows, int... places) {
        List<Event> events = new ArrayList<>();
        for (int n = 0; n < rows; n++) {
            int place = n;
            boolean poison = Arrays.stream(places).anyMatch(p -> p == place);
            events.add(rig.event(poison ? "poison" : "fine"));
        }
        return events;
    }

    private void constrain(String condition) {
        clickHouse.query("alter table " + database + ".events add constraint no_poison check " + condition);
    }

    private void unconstrain() {
        clickHouse.query("alter table " + database + ".events drop constraint no_poison");
        // Until the next look, what is inserted into a table of another definition doesn't count.
        rig.ticker.advance(SourceWatch.REPEAT_AFTER);
    }
}
