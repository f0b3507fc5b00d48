package dev.porcupine.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * It is the physical table that Porcupine creates (P41): a plain ReplacingMergeTree(revision) in a database that gives tables UUIDs,
 * ordered by the identity, with the columns that writes and reads name, each of them stored: a computed one would answer every lookup
 * with something else than was written.
 */
final class ShapeRule implements SourceRule {

    private static final String ENGINE = "ReplacingMergeTree";
    private static final String DATABASE_ENGINE = "Atomic";
    private static final String SORTING_KEY = "project_id, uuid";
    private static final String NO_UUID = "00000000-0000-0000-0000-000000000000";

    /** All of them keep every revision of an event in one partition, as the received time never changes. */
    private static final Set<String> PARTITION_KEYS = Set.of("toYYYYMM(received_at)", "toYear(received_at)", "");

    private final String name;

    /**
     * @param name of the table, qualified, for messages
     */
    ShapeRule(String name) {
        this.name = name;
    }

    @Override
    public List<Finding> findings(SourceFacts facts) {
        TableFacts table = facts.table();
        List<Finding> findings = new ArrayList<>();
        boolean replacing =
                table.engine().equals(ENGINE) && (table.engineFull() + " ").startsWith(ENGINE + "(revision) ");
        if (!replacing) {
            findings.add(FindingCode.SOURCE_WRONG_ENGINE.finding("wanted " + name + " to be " + ENGINE
                    + "(revision), found " + table.engineShort()
                    + "; another engine may drop rows, keep an older revision or hold no rows of its own"));
        }
        boolean ordered = table.sortingKey().equals(SORTING_KEY);
        if (!ordered) {
            findings.add(FindingCode.SOURCE_WRONG_SORTING_KEY.finding(
                    "wanted " + name + " ordered by (" + SORTING_KEY + "), found (" + table.sortingKey() + ")"));
        }
        boolean partitioned = PARTITION_KEYS.contains(table.partitionKey());
        if (!partitioned) {
            findings.add(FindingCode.SOURCE_WRONG_PARTITION_KEY.finding(
                    "wanted " + name + " partitioned by one of " + PARTITION_KEYS + ", found " + table.partitionKey()));
        }
        if (replacing && ordered && partitioned && !knownClauses(table)) {
            findings.add(FindingCode.SOURCE_WRONG_CLAUSE.finding("wanted nothing in the definition of " + name
                    + " beside engine, partition, order, TTL and settings, found: " + table.engineFull()));
        }
        if (table.uuid().equals(NO_UUID)) {
            findings.add(FindingCode.SOURCE_WITHOUT_UUID.finding(
                    "wanted a database engine that gives tables a UUID, such as Atomic, but " + name
                            + " has none, so a table put in its place could not be noticed"));
        } else if (!facts.databaseEngine().equals(DATABASE_ENGINE)) {
            findings.add(FindingCode.SOURCE_WRONG_DATABASE_ENGINE.finding("wanted the database of " + name
                    + " to have the engine " + DATABASE_ENGINE + ", found " + facts.databaseEngine()));
        }
        findings.addAll(columns(facts));
        return findings;
    }

    private static boolean knownClauses(TableFacts table) {
        String rest = table.afterKeys();
        return rest != null && (rest.isEmpty() || rest.startsWith(" TTL ") || rest.startsWith(" SETTINGS "));
    }

    private List<Finding> columns(SourceFacts facts) {
        return ClickHouseTable.COLUMNS.stream()
                .filter(column -> !column.type().equals(facts.columns().get(column.name())))
                .map(column -> FindingCode.SOURCE_WRONG_COLUMN.finding("wanted a column " + column.name() + " of type "
                        + column.type() + " in " + name + ", found "
                        + facts.columns().getOrDefault(column.name(), "none")))
                .toList();
    }
}
