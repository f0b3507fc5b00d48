package dev.porcupine.history;

import java.util.List;

/** Said, not refused: where parts lie changes no answer, and moving a large table is the operator's to time. */
final class ColdStorageRule implements SourceRule {

    private final String name;

    ColdStorageRule(String name) {
        this.name = name;
    }

    @Override
    public List<Finding> findings(SourceFacts facts) {
        String ttl = facts.ownTtl();
        String rest = facts.table().afterKeys();
        if (ttl == null || (rest != null && (rest + " ").startsWith(" TTL " + ttl + " "))) {
            return List.of();
        }
        return List.of(FindingCode.SOURCE_COLD_STORAGE_DIFFERS.finding("cold storage is configured, but " + name
                + " does not move its parts so. To apply it run: ALTER TABLE " + name
                + " MODIFY SETTING storage_policy = '<policy>'; ALTER TABLE " + name + " MODIFY TTL " + ttl));
    }
}
