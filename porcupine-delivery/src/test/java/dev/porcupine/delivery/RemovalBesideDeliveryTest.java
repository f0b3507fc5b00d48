package dev.porcupine.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.Finding;
import dev.porcupine.history.InsertResult;
import dev.porcupine.ledger.DeliveryBarrier;
import dev.porcupine.ledger.RemovalStage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a removal may believe of the passes beside it. */
class RemovalBesideDeliveryTest {

    private static final Duration LINGER = Duration.ofSeconds(30);

    @TempDir
    Path dataDir;

    private DeliveryBarrier.@Nullable Quiet quiet;
    private DeliveryRig rig;

    @BeforeEach
    void opened_long_ago() {
        rig = new DeliveryRig(dataDir, DeliveryRig.embedded(dataDir), DeliverySettings.defaults());
        rig.ticker.advance(LINGER);
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void batch_read_before_the_drop_is_waited_for_and_makes_no_receipt() {
        rig.accept(20);
        rig.history.onInsert((events, insert) -> {
            drop();
            assertThat(left(Duration.ZERO)).isPositive();
            return insert.get();
        });

        rig.pass.run();

        assertThat(left(LINGER)).isZero();
        assertThat(rig.ledger.status().receipts()).isZero();
        assertThat(rig.ledger.status().queueEvents()).isZero();
        assertThat(rig.history.count(rig.project)).isEqualTo(20);
    }

    @Test
    void insert_without_a_clear_answer_is_waited_for_as_long_as_it_may_last() {
        rig.accept(20);
        rig.history.onInsert((events, insert) -> {
            drop();
            return new InsertResult.Unknown("planted");
        });

        assertThat(rig.pass.run()).isInstanceOf(PassOutcome.Stalled.class);

        assertThat(left(LINGER)).isEqualTo(LINGER);
        rig.ticker.advance(LINGER);
        assertThat(left(LINGER)).isZero();
    }

    @Test
    void insert_that_throws_is_taken_for_one_without_an_answer() {
        rig.accept(20);
        rig.history.onInsert((events, insert) -> {
            drop();
            throw new IllegalStateException("planted");
        });

        rig.pass.run();

        assertThat(left(LINGER)).isEqualTo(LINGER);
    }

    @Test
    void refused_rows_are_an_answer_and_go_nowhere_once_they_are_dropped() {
        rig.accept(1);
        rig.history.onInsert((events, insert) -> {
            if (quiet == null) {
                drop();
            }
            return new InsertResult.RowsRefused("planted");
        });

        for (int n = 0; n < DeliveryPass.ALONE_PASSES; n++) {
            rig.pass.run();
        }

        assertThat(left(LINGER)).isZero();
        assertThat(rig.ledger.status().quarantined()).isZero();
    }

    @Test
    void passes_that_insert_nothing_delay_no_removal() {
        rig.pass.run();
        rig.accept(1);
        rig.history.onVerify(() -> Optional.of(new Finding("planted", "")));
        rig.ticker.advance(Duration.ofSeconds(10));
        rig.pass.run();

        assertThat(rig.ledger.deliveries().quiet().left(LINGER)).isZero();
    }

    private Duration left(Duration linger) {
        return Objects.requireNonNull(quiet, "drop() comes first").left(linger);
    }

    private void drop() {
        rig.ledger.removals().begin(rig.project);
        while (rig.ledger.removals().dropWaiting(rig.project).stage() == RemovalStage.QUEUE) {
            assertThat(rig.ledger.removals().pending()).hasSize(1);
        }
        quiet = rig.ledger.deliveries().quiet();
    }
}
