package dev.porcupine.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.delivery.PassOutcome.Cause;
import dev.porcupine.delivery.PassOutcome.Idle;
import dev.porcupine.delivery.PassOutcome.Progressed;
import dev.porcupine.delivery.PassOutcome.Stalled;
import dev.porcupine.history.Finding;
import dev.porcupine.history.History;
import dev.porcupine.history.InsertResult;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.ledger.Verdict;
import dev.porcupine.schema.Event;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rules of the pass, over both histories. */
class DeliveryPassTest {

    private static final DeliverySettings SETTINGS = DeliverySettings.defaults().withRowsMax(1_000);

    @Nested
    class OverEmbeddedHistory extends Rules {

        @Override
        History history(Path dataDir) {
            return DeliveryRig.embedded(dataDir);
        }
    }

    @Nested
    class OverClickHouse extends Rules {

        @Override
        History history(Path dataDir) {
            return DeliveryRig.sharedClickHouse();
        }
    }

    abstract static class Rules {

        @TempDir
        Path dataDir;

        private DeliveryRig rig;

        abstract History history(Path dataDir);

        @BeforeEach
        void open() {
            rig = new DeliveryRig(dataDir, history(dataDir), SETTINGS);
        }

        @AfterEach
        void nothing_is_lost_or_doubled() {
            rig.assertNothingLostOrDoubled();
            rig.close();
        }

        @Test
        void every_event_is_delivered_once() {
            for (int batch = 0; batch < 5; batch++) {
                rig.accept(500);
            }
            rig.deliverAll();
            assertThat(rig.history.insertedRows()).containsExactly(1_000, 1_000, 500);
            assertThat(rig.ledger.status().queueEvents()).isZero();
            assertThat(rig.eventsMetered("delivered")).isEqualTo(2_500);
        }

        @Test
        void an_empty_queue_leaves_history_alone() {
            assertThat(rig.pass.run()).isEqualTo(new Idle());
            assertThat(rig.history.verifications()).isZero();
        }

        @Test
        void a_pass_says_whether_a_full_batch_still_waits() {
            rig.accept(1_999);
            assertThat(rig.pass.run()).isEqualTo(new Progressed(1_000, 0, false));
            rig.accept(1_001);
            assertThat(rig.pass.run()).isEqualTo(new Progressed(1_000, 0, true));
            rig.deliverAll();
        }

        @Test
        void a_resend_of_a_delivered_event_is_a_duplicate() {
            List<Event> events = rig.accept(10);
            rig.deliverAll();
            assertThat(rig.verdicts(events)).containsOnly(Verdict.Kind.KNOWN_BY_RECEIPT);
        }

        @Test
        void an_unclear_answer_keeps_the_events_and_a_retry_delivers_them() {
            rig.accept(300);
            rig.history.onInsert((events, insert) -> new InsertResult.Unknown("cut"));
            assertThat(rig.pass.run()).isEqualTo(new Stalled(Cause.HISTORY_UNCLEAR, "cut", null));
            assertThat(rig.ledger.status().queueEvents()).isEqualTo(300);
            rig.history.steerNoMore();
            rig.deliverAll();
        }

        @Test
        void a_lost_acknowledgement_is_repaired_by_inserting_again() {
            rig.accept(300);
            rig.history.onInsert((events, insert) -> {
                assertThat(insert.get()).isInstanceOf(InsertResult.Acknowledged.class);
                return new InsertResult.Unknown("the connection ended after the commit");
            });
            assertThat(rig.pass.run()).isInstanceOf(Stalled.class);
            assertThat(rig.ledger.status().queueEvents()).isEqualTo(300);
            rig.history.steerNoMore();
            rig.deliverAll();
            assertThat(rig.history.count(rig.project)).isEqualTo(300);
        }

        @Test
        void a_refused_source_keeps_the_events() {
            rig.accept(10);
            rig.history.onVerify(() -> Optional.of(new Finding("wrong_engine", "wanted another")));
            assertThat(rig.pass.run())
                    .isEqualTo(new Stalled(Cause.SOURCE_REFUSED, "wrong_engine: wanted another", null));
            assertThat(rig.history.insertedRows()).isEmpty();
            assertThat(rig.ledger.status().queueEvents()).isEqualTo(10);
            rig.history.steerNoMore();
            rig.deliverAll();
        }

        @Test
        void a_verified_source_is_trusted_for_a_while_and_never_after_an_error() {
            rig.accept(10);
            rig.pass.run();
            rig.accept(10);
            rig.ticker.advance(SourceWatch.REPEAT_AFTER.minusNanos(1));
            rig.pass.run();
            assertThat(rig.history.verifications()).isEqualTo(1);
            rig.accept(10);
            rig.ticker.advance(Duration.ofNanos(1));
            rig.pass.run();
            assertThat(rig.history.verifications()).isEqualTo(2);
            rig.accept(10);
            rig.history.onInsert((events, insert) -> new InsertResult.Unknown("cut"));
            rig.pass.run();
            rig.history.steerNoMore();
            rig.deliverAll();
            assertThat(rig.history.verifications()).isEqualTo(3);
        }

        @Test
        void batches_shrink_while_answers_are_unclear_and_grow_again() {
            rig.accept(1_600);
            rig.history.onInsert((events, insert) ->
                    events.size() > 250 ? new InsertResult.Unknown("413 from a proxy") : insert.get());
            assertThat(rig.pass.run()).isInstanceOf(Stalled.class);
            assertThat(rig.pass.run()).isInstanceOf(Stalled.class);
            assertThat(rig.pass.run()).isEqualTo(new Progressed(250, 0, true));
            rig.history.steerNoMore();
            rig.deliverAll();
            assertThat(rig.history.insertedRows()).containsExactly(1_000, 500, 250, 500, 850);
        }

        @Test
        void a_ledger_that_fails_at_settlement_gets_the_events_again() {
            rig.accept(600);
            rig.history.onInsert((events, insert) -> {
                InsertResult result = insert.get();
                rig.ledger.close();
                return result;
            });
            assertThat(rig.pass.run()).isInstanceOf(Stalled.class);
            rig.history.steerNoMore();
            rig.restart();
            assertThat(rig.ledger.status().queueEvents()).isEqualTo(600);
            rig.deliverAll();
        }

        @Test
        void what_an_unknown_exception_of_history_means_is_unknown() {
            rig.accept(10);
            IllegalStateException bug = new IllegalStateException("a bug");
            rig.history.onInsert((events, insert) -> {
                throw bug;
            });
            assertThat(rig.pass.run()).isEqualTo(new Stalled(Cause.UNEXPECTED, bug.toString(), bug));
            rig.history.steerNoMore();
            rig.deliverAll();
        }

        @Test
        void a_crash_at_any_exchange_with_history_loses_and_doubles_nothing() {
            for (int step = 1; step <= 3; step++) {
                for (boolean after : new boolean[] {false, true}) {
                    rig.accept(2_500);
                    crashAtInsert(step, after);
                    rig.restart();
                    rig.history.steerNoMore();
                    rig.deliverAll();
                    assertThat(rig.history.count(rig.project)).isEqualTo(rig.accepted.size());
                }
            }
        }

        private void crashAtInsert(int step, boolean after) {
            int[] left = {step};
            rig.history.onInsert((events, insert) -> {
                boolean now = --left[0] == 0;
                if (now && !after) {
                    throw new Crash();
                }
                InsertResult result = insert.get();
                if (now) {
                    throw new Crash();
                }
                return result;
            });
            try {
                rig.deliverAll();
            } catch (Crash crash) {
                return;
            }
            throw new AssertionError("insert " + step + " never came");
        }
    }

    /** Not an exception that the pass handles: the process ends here. */
    private static final class Crash extends Error {

        private static final long serialVersionUID = 1;
    }
}
