package dev.porcupine.reconcile;

import dev.porcupine.schema.ProjectId;
import java.util.Map;

/** How far the ledger is from its limit (P33, P34). */
public sealed interface Convergence {

    /** As the actuator spells it. */
    String word();

    /** The receipts are within the limit, or there is none. */
    record Converged() implements Convergence {

        @Override
        public String word() {
            return "converged";
        }
    }

    /**
     * Over the limit, and receipts are still being proven or evicted.
     *
     * @param excess receipts over the limit
     * @param unproven receipts that history was not found to hold yet
     * @param secondsLeft an estimate from the pace so far; -1 while there is none
     */
    record Converging(long excess, long unproven, long secondsLeft) implements Convergence {

        @Override
        public String word() {
            return "converging";
        }
    }

    /**
     * Over the limit, and history holds none of the receipts that would have to go: a whole round through the ledger proved nothing. New events
     * are refused until the missing history is put back or the limit is raised.
     *
     * @param missing receipts that history does not hold, by project
     */
    record Blocked(long excess, Map<ProjectId, Long> missing) implements Convergence {

        public Blocked {
            missing = Map.copyOf(missing);
        }

        @Override
        public String word() {
            return "blocked";
        }
    }
}
