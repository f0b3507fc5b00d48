package dev.porcupine.history;

import dev.porcupine.history.SourceFacts.SkipIndex;
import java.util.ArrayList;
import java.util.List;

/**
 * The index without which the server refuses every probe is there, and no projection is: a second copy of rows that merges may drop,
 * keep or rebuild by settings of their own, and which some query might be answered from.
 */
final class IndexRule implements SourceRule {

    private final String name;

    IndexRule(String name) {
        this.name = name;
    }

    @Override
    public List<Finding> findings(SourceFacts facts) {
        List<Finding> findings = new ArrayList<>();
        boolean bloom = facts.indexes().stream()
                .anyMatch(index -> index.name().equals("uuid_bloom")
                        && index.type().equals("bloom_filter")
                        && index.expression().equals("uuid"));
        if (!bloom) {
            findings.add(FindingCode.SOURCE_INDEX_MISSING.finding("wanted the index uuid_bloom on uuid of type"
                    + " bloom_filter on " + name + ", found " + names(facts.indexes())
                    + "; probes are refused without it. Run: ALTER TABLE " + name
                    + " ADD INDEX uuid_bloom uuid TYPE bloom_filter(0.00001) GRANULARITY 1; ALTER TABLE " + name
                    + " MATERIALIZE INDEX uuid_bloom"));
        }
        boolean range = facts.indexes().stream().anyMatch(index -> index.name().equals("uuid_range"));
        if (!range) {
            findings.add(FindingCode.SOURCE_RANGE_INDEX_MISSING.finding("wanted the index uuid_range on " + name
                    + ": without it lookups of time-ordered UUIDs read more. Run: ALTER TABLE " + name
                    + " ADD INDEX uuid_range toUInt128(uuid) TYPE minmax GRANULARITY 1"));
        }
        for (String projection : facts.projections()) {
            findings.add(FindingCode.SOURCE_HAS_PROJECTION.finding("wanted no projection on " + name + ", found "
                    + projection + ". Run: ALTER TABLE " + name + " DROP PROJECTION " + projection));
        }
        return findings;
    }

    private static List<String> names(List<SkipIndex> indexes) {
        return indexes.stream()
                .map(index -> index.name() + " (" + index.type() + " on " + index.expression() + ")")
                .toList();
    }
}
