package dev.porcupine.history;

import dev.porcupine.history.SourceFacts.RowPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * No row policy hides rows from the operator (P44). A restrictive one is refused, whomever it is for today. Where any permissive one
 * exists, on the table or on its whole database, users without one of their own may see nothing; so the operator, one of its roles, or
 * everybody needs one that lets all rows through. Policies on the server's own tables would filter this very look.
 */
final class PolicyRule implements SourceRule {

    private static final Set<String> UNRESTRICTED = Set.of("1", "true");

    private final String name;

    PolicyRule(String name) {
        this.name = name;
    }

    @Override
    public List<Finding> findings(SourceFacts facts) {
        List<Finding> findings = new ArrayList<>();
        List<RowPolicy> ofTable = new ArrayList<>();
        for (RowPolicy policy : facts.policies()) {
            if (policy.database().equals("system")) {
                findings.add(FindingCode.SOURCE_METADATA_FILTERED.finding("wanted no row policy on ClickHouse's system"
                        + " tables, found " + policy.name()
                        + "; what they hide can't be verified. Drop it"));
            } else if (policy.restrictive()) {
                findings.add(FindingCode.SOURCE_RESTRICTIVE_POLICY.finding("wanted no restrictive row policy on " + name
                        + ", found " + policy.name() + "; rows that it hides would be taken for new. Drop it"));
            } else {
                ofTable.add(policy);
            }
        }
        boolean exempt =
                ofTable.stream().anyMatch(policy -> policy.applies() && UNRESTRICTED.contains(policy.filter()));
        if (!ofTable.isEmpty() && !exempt) {
            findings.add(FindingCode.SOURCE_POLICY_WITHOUT_EXEMPTION.finding("wanted an unrestricted row policy for "
                    + facts.user() + " on " + name + " because others exist, found only "
                    + ofTable.stream().map(RowPolicy::name).toList() + ". Run: CREATE ROW POLICY porcupine_all ON "
                    + name + " USING 1 TO " + facts.user()));
        }
        return findings;
    }
}
