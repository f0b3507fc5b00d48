package dev.porcupine.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * No trace of rows having been taken away: mutations that the server still lists, deletion masks, patches and detached parts. Such
 * traces end after a while and some removals leave none, so their absence proves nothing (P46); their presence proves that what this
 * table does not name may still have been accepted.
 */
final class RemovedRowsRule implements SourceRule {

    /** What such mutations begin with, and which identities they can't remove: the server refuses updates of key columns. */
    private static final Set<String> HARMLESS = Set.of(
            "MATERIALIZE INDEX",
            "MATERIALIZE COLUMN",
            "MATERIALIZE STATISTICS",
            "MATERIALIZE PROJECTION",
            "MATERIALIZE TTL",
            "DROP INDEX",
            "CLEAR INDEX",
            "DROP STATISTICS",
            "CLEAR STATISTICS",
            "DROP PROJECTION",
            "CLEAR PROJECTION",
            "MODIFY COLUMN",
            "RENAME COLUMN",
            "DROP COLUMN",
            "CLEAR COLUMN",
            "UPDATE");

    private final String name;
    private final OwnRemovals removals;

    RemovedRowsRule(String name, OwnRemovals removals) {
        this.name = name;
        this.removals = removals;
    }

    @Override
    public List<Finding> findings(SourceFacts facts) {
        List<Finding> findings = new ArrayList<>();
        List<String> removing = facts.mutations().stream()
                .filter(command -> !harmless(command) && !removals.own(command))
                .toList();
        if (!removing.isEmpty()) {
            findings.add(removed(
                    "mutations that remove rows: " + removing.size() + ", the first of them " + removing.getFirst()));
        }
        if (facts.maskedParts() > 0) {
            findings.add(removed(facts.maskedParts() + " parts with a deletion mask or a patch"));
        }
        if (!facts.detachedParts().isEmpty()) {
            findings.add(removed("detached parts: " + facts.detachedParts().size() + ", the first of them "
                    + facts.detachedParts().getFirst() + ". If it is whole, ALTER TABLE " + name
                    + " ATTACH PART brings it back"));
        }
        return findings;
    }

    private Finding removed(String trace) {
        return FindingCode.SOURCE_ROWS_REMOVED.finding("wanted no trace of rows removed from " + name + ", found "
                + trace + ". An identity that was removed would be accepted again; restore the history from a backup");
    }

    private static boolean harmless(String command) {
        List<String> words = SqlWords.of(command).stream()
                .map(word -> word.toUpperCase(Locale.ROOT))
                .filter(word -> !word.equals("(") && !word.equals(")"))
                .toList();
        String first = words.isEmpty() ? "" : words.getFirst();
        boolean known = HARMLESS.contains(first) || (words.size() > 1 && HARMLESS.contains(first + " " + words.get(1)));
        // A lightweight delete is an update of this column.
        return known
                && !words.contains("_ROW_EXISTS")
                && !words.contains("`_ROW_EXISTS`")
                && !words.contains("\"_ROW_EXISTS\"")
                && !words.contains("DELETE");
    }
}
