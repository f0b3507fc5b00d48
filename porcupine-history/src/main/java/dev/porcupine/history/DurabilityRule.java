package dev.porcupine.history;

import java.util.List;
import java.util.stream.Stream;

/** Whether an acknowledgement survives a power cut. Worth a warning only: the answer depends on the hardware, too. */
final class DurabilityRule implements SourceRule {

    private final String name;

    DurabilityRule(String name) {
        this.name = name;
    }

    @Override
    public List<Finding> findings(SourceFacts facts) {
        return Stream.of("fsync_after_insert", "fsync_part_directory")
                .filter(setting -> !"1".equals(facts.effective(setting)) && !"true".equals(facts.effective(setting)))
                .map(setting -> FindingCode.SOURCE_NOT_DURABLE.finding("wanted " + setting + " = 1 for " + name
                        + ", found " + facts.effective(setting) + "; a power cut of the server may lose acknowledged"
                        + " events. Run: ALTER TABLE " + name + " MODIFY SETTING " + setting + " = 1"))
                .toList();
    }
}
