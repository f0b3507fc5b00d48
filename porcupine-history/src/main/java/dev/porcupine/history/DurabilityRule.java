package dev.porcupine.history;

import java.util.List;
import java.util.stream.Stream;

/**
 * Whether an acknowledgement survives a power cut, and whether a part that did not is refused rather than set aside in silence. Worth a
 * warning only: the answer depends on the hardware, too, and what is set aside is found by {@link RemovedRowsRule}.
 */
final class DurabilityRule implements SourceRule {

    private final String name;

    DurabilityRule(String name) {
        this.name = name;
    }

    @Override
    public List<Finding> findings(SourceFacts facts) {
        return Stream.concat(unsynced(facts), tolerant(facts)).toList();
    }

    private Stream<Finding> unsynced(SourceFacts facts) {
        return Stream.of("fsync_after_insert", "fsync_part_directory")
                .filter(setting -> !"1".equals(facts.effective(setting)) && !"true".equals(facts.effective(setting)))
                .map(setting -> FindingCode.SOURCE_NOT_DURABLE.finding("wanted " + setting + " = 1 for " + name
                        + ", found " + facts.effective(setting) + "; a power cut of the server may lose acknowledged"
                        + " events. Run: ALTER TABLE " + name + " MODIFY SETTING " + setting + " = 1"));
    }

    private Stream<Finding> tolerant(SourceFacts facts) {
        return Stream.of("max_suspicious_broken_parts", "max_suspicious_broken_parts_bytes")
                .filter(setting -> !"0".equals(facts.effective(setting)))
                .map(setting -> FindingCode.SOURCE_NOT_DURABLE.finding("wanted " + setting + " = 0 for " + name
                        + ", found " + facts.effective(setting)
                        + "; the server may set broken parts aside at its start and go"
                        + " on without their events. Run: ALTER TABLE " + name + " MODIFY SETTING " + setting
                        + " = 0"));
    }
}
