package dev.porcupine.history;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** No merge may clean rows up (P42): every setting of that kind is off, on the table or, where it says nothing, by the server's default. */
final class CleanupRule implements SourceRule {

    private static final Set<String> OFF = Set.of("0", "false");

    private final String name;

    CleanupRule(String name) {
        this.name = name;
    }

    @Override
    public List<Finding> findings(SourceFacts facts) {
        Map<String, String> own = facts.table().settings();
        Set<String> settings = new TreeSet<>(own.keySet());
        settings.addAll(facts.defaults().keySet());
        Map<String, String> on = new TreeMap<>();
        for (String setting : settings) {
            String value = facts.effective(setting);
            if (cleansUp(setting) && value != null && !OFF.contains(value)) {
                on.put(setting, value);
            }
        }
        return on.entrySet().stream()
                .map(setting ->
                        FindingCode.SOURCE_CLEANUP_ENABLED.finding("wanted " + setting.getKey() + " to be 0 for "
                                + name + ", found " + setting.getValue()
                                + (own.containsKey(setting.getKey()) ? " on the table" : " as the server's default")
                                + "; a cleanup merge removes identities for ever. Run: ALTER TABLE " + name
                                + " MODIFY SETTING " + setting.getKey() + " = 0"))
                .toList();
    }

    /** By the parts of the name, so that a later release's setting of the kind is not overlooked. */
    private static boolean cleansUp(String setting) {
        return setting.contains("replacing") && setting.contains("cleanup");
    }
}
