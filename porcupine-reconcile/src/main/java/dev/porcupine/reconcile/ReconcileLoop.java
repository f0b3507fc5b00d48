package dev.porcupine.reconcile;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats the reconcile pass on a thread of its own: at once while there is something to prove, seldom when there is not. After a round
 * that proved nothing it pauses longer each time, because only somebody who restores history can change that.
 */
final class ReconcileLoop extends PacedThread {

    private static final Duration IDLE = Duration.ofSeconds(5);
    private static final Duration STALLED = Duration.ofSeconds(2);
    private static final Duration FRUITLESS_FIRST = Duration.ofSeconds(2);
    private static final Duration FRUITLESS_MAX = Duration.ofMinutes(1);

    private static final Logger log = LoggerFactory.getLogger(ReconcileLoop.class);

    private final ReconcilePass pass;
    private Duration fruitless = FRUITLESS_FIRST;
    private boolean stalled;

    ReconcileLoop(ReconcilePass pass) {
        super("porcupine-reconcile");
        this.pass = pass;
    }

    @Override
    Duration runOnce() {
        ReconcileOutcome outcome = pass.run();
        noteStall(outcome);
        return switch (outcome) {
            case ReconcileOutcome.Idle _ -> IDLE;
            case ReconcileOutcome.Looked _ -> Duration.ZERO;
            case ReconcileOutcome.RoundDone(long proven, long missing) -> afterRound(proven, missing);
            case ReconcileOutcome.Stalled _ -> STALLED;
        };
    }

    private Duration afterRound(long proven, long missing) {
        if (proven > 0 || missing == 0) {
            fruitless = FRUITLESS_FIRST;
            // A round without any is one whose receipts went meanwhile, with their project: no reason to hurry.
            return proven > 0 ? Duration.ZERO : FRUITLESS_FIRST;
        }
        Duration now = fruitless;
        Duration doubled = now.multipliedBy(2);
        fruitless = doubled.compareTo(FRUITLESS_MAX) < 0 ? doubled : FRUITLESS_MAX;
        return now;
    }

    private void noteStall(ReconcileOutcome outcome) {
        boolean now = outcome instanceof ReconcileOutcome.Stalled;
        if (now && !stalled && outcome instanceof ReconcileOutcome.Stalled(String reason)) {
            log.warn("Proving old receipts is stalled: {}. It is tried again on its own", reason);
        } else if (stalled && !now) {
            log.info("Proving old receipts goes on");
        }
        stalled = now;
    }
}
