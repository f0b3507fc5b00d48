package dev.porcupine.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** All rules together: what they find, parted into what closes the door and what only warns. */
final class SourceRules {

    private final List<SourceRule> rules;
    private final SourceRule removedRows;

    /**
     * @param settingsNeeded the names of all settings that inserts and reads state
     */
    SourceRules(String name, Set<String> settingsNeeded, OwnRemovals removals) {
        this.rules = List.of(
                new ShapeRule(name),
                facts -> unknownSettings(settingsNeeded, facts),
                new CleanupRule(name),
                new TtlRule(name),
                new IndexRule(name),
                new PolicyRule(name),
                new DurabilityRule(name),
                new ColdStorageRule(name));
        this.removedRows = new RemovedRowsRule(name, removals);
    }

    /**
     * @param refusing none where the source can be trusted
     */
    record Judgement(List<Finding> refusing, List<Finding> warnings) {}

    Judgement judge(SourceFacts facts, Reliance reliance) {
        List<Finding> refusing = new ArrayList<>();
        List<Finding> warnings = new ArrayList<>();
        for (SourceRule rule : rules) {
            for (Finding finding : rule.findings(facts)) {
                (warns(finding) ? warnings : refusing).add(finding);
            }
        }
        // While the ledger keeps every receipt, deleting events from history is the operator's affair.
        (reliance == Reliance.NONE ? warnings : refusing).addAll(removedRows.findings(facts));
        return new Judgement(List.copyOf(refusing), List.copyOf(warnings));
    }

    private static boolean warns(Finding finding) {
        for (FindingCode code : FindingCode.values()) {
            if (code.code().equals(finding.code())) {
                return code.warns();
            }
        }
        return false;
    }

    private static List<Finding> unknownSettings(Set<String> needed, SourceFacts facts) {
        Set<String> missing = new TreeSet<>(needed);
        missing.removeAll(facts.knownSettings());
        return missing.isEmpty()
                ? List.of()
                : List.of(FindingCode.CLICKHOUSE_TOO_OLD.finding(
                        "wanted a ClickHouse that knows the settings on which exact writes and reads rest, but this one"
                                + " lacks " + missing + "; upgrade it"));
    }
}
