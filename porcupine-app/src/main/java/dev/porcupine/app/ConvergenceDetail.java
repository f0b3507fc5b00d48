package dev.porcupine.app;

import dev.porcupine.reconcile.Convergence;
import dev.porcupine.schema.ProjectId;
import java.util.Map;
import java.util.TreeMap;

/**
 * How far the ledger is from its limit, in numbers.
 *
 * @param excess receipts over the limit
 * @param unproven receipts that history was not found to hold yet
 * @param secondsLeft an estimate while converging; -1 while there is none
 * @param missing when blocked: receipts whose events history does not hold, by project id
 */
record ConvergenceDetail(long excess, long unproven, long secondsLeft, Map<String, Long> missing) {

    static ConvergenceDetail of(Convergence convergence) {
        return switch (convergence) {
            case Convergence.Converged _ -> new ConvergenceDetail(0, 0, 0, Map.of());
            case Convergence.Converging(long excess, long unproven, long secondsLeft) ->
                new ConvergenceDetail(excess, unproven, secondsLeft, Map.of());
            case Convergence.Blocked(long excess, Map<ProjectId, Long> missing) -> {
                Map<String, Long> byProject = new TreeMap<>();
                missing.forEach((project, count) -> byProject.put(project.toString(), count));
                yield new ConvergenceDetail(
                        excess,
                        missing.values().stream().mapToLong(Long::longValue).sum(),
                        -1,
                        byProject);
            }
        };
    }
}
