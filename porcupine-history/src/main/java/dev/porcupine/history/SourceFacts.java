package dev.porcupine.history;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All that one look learned, as a value: the rules judge it without asking anything more.
 *
 * @param user as which the server knows this connection
 * @param columns name to type, after its kind where it is computed (ALIAS, MATERIALIZED)
 * @param defaults the server's defaults of table settings, the operator's configuration included
 * @param knownSettings of those that writes and reads state
 * @param ownTtl the deployment's MOVE TTL in the server's normal form; null where there is none
 */
record SourceFacts(
        String user,
        TableFacts table,
        String databaseEngine,
        Map<String, String> columns,
        Map<String, String> defaults,
        Set<String> knownSettings,
        List<SkipIndex> indexes,
        List<String> projections,
        List<String> mutations,
        long maskedParts,
        List<String> detachedParts,
        List<RowPolicy> policies,
        @Nullable String ownTtl) {

    record SkipIndex(String name, String type, String expression) {}

    /**
     * @param table empty for a policy on the whole database
     * @param applies to the operator's user or one of its roles
     */
    record RowPolicy(String name, String database, String table, boolean restrictive, String filter, boolean applies) {}

    /** What holds for the table: its own setting, else the server's default; null where the server knows no such setting. */
    @Nullable String effective(String setting) {
        return table.settings().getOrDefault(setting, defaults.get(setting));
    }
}
