package dev.porcupine.history;

import dev.porcupine.history.SourceFacts.RowPolicy;
import dev.porcupine.history.SourceFacts.SkipIndex;
import dev.porcupine.schema.LedgerLineage;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Reads everything that the rules judge from the server's system tables, over one connection. */
final class SourceReader {

    private static final String TABLE = """
            select toString(uuid) as uuid, engine, engine_full, create_table_query, sorting_key, partition_key
            from system.tables
            where database = :database and name = :table
            """;

    private static final String DATABASE_ENGINE = "select engine from system.databases where name = :database";

    private static final String COLUMNS = """
            select name, if(default_kind in ('', 'DEFAULT'), type, concat(default_kind, ' ', type))
            from system.columns
            where database = :database and table = :table
            """;

    private static final String KNOWN_SETTINGS = "select name from system.settings where name in (:names)";

    private static final String DEFAULTS = """
            select name, value
            from system.merge_tree_settings
            where (name like '%replacing%' and name like '%cleanup%') or name like 'fsync%' or name like 'max_suspicious%'
            """;

    private static final String INDEXES = """
            select name, type, expr
            from system.data_skipping_indices
            where database = :database and table = :table
            """;

    private static final String PROJECTIONS = """
            select name
            from system.projections
            where database = :database and table = :table
            """;

    private static final String MUTATIONS = """
            select command
            from system.mutations
            where database = :database and table = :table
            order by create_time
            """;

    private static final String MASKED_PARTS = """
            select count()
            from system.parts
            where database = :database and table = :table and active
                and (has_lightweight_delete = 1 or startsWith(name, 'patch-'))
            """;

    /** Left out: copies of what stands in active parts. */
    private static final String DETACHED_PARTS = """
            select concat(name, if(reason = '', '', concat(' (', reason, ')')))
            from system.detached_parts
            where database = :database and table = :table and reason not in ('ignored', 'clone', 'deleting')
            order by name
            limit 100
            """;

    static final String POLICIES = """
            select name, database, table, is_restrictive, coalesce(select_filter, '') as filter,
                (apply_to_all = 1 or hasAny(apply_to_list, principals)) and not hasAny(apply_to_except, principals) as applies
            from (
                select *, arrayConcat([currentUser()], (select groupArray(role_name) from system.enabled_roles)) as principals
                from system.row_policies
                where (database in (:database, '') and table in (:table, '')) or database = 'system'
            )
            """;

    private final ClickHouseTable table;
    private final Collection<String> settingsNeeded;
    private final String stamp;
    private final OwnRemovals removals;

    /**
     * @param settingsNeeded the names of all settings that inserts and reads state
     */
    SourceReader(
            ClickHouseTable table,
            Collection<String> settingsNeeded,
            @Nullable LedgerLineage ledger,
            OwnRemovals removals) {
        this.table = table;
        this.stamp = SourceStamp.sql(table, ledger);
        this.removals = removals;
        this.settingsNeeded = List.copyOf(settingsNeeded);
    }

    /** Nothing where there is no such table. */
    Optional<String> stamp(JdbcClient client) {
        return client.sql(stamp).query(String.class).optional().map(line -> SourceStamp.of(line, removals));
    }

    /** Whether there is a table of that name. */
    boolean tableIsThere(JdbcClient client) {
        return !about(client, TABLE)
                .query((row, index) -> row.getString("uuid"))
                .list()
                .isEmpty();
    }

    /** Nothing where the user sees no such table. */
    Optional<SourceFacts> read(JdbcClient client) {
        return about(client, TABLE)
                .query((row, index) -> new TableFacts(
                        row.getString("uuid"),
                        row.getString("engine"),
                        row.getString("engine_full"),
                        row.getString("create_table_query"),
                        row.getString("sorting_key"),
                        row.getString("partition_key")))
                .optional()
                .map(facts -> rest(client, facts));
    }

    private SourceFacts rest(JdbcClient client, TableFacts facts) {
        Set<String> known = new HashSet<>(client.sql(KNOWN_SETTINGS)
                .param("names", settingsNeeded)
                .query(String.class)
                .list());
        return new SourceFacts(
                client.sql("select currentUser()").query(String.class).single(),
                facts,
                client.sql(DATABASE_ENGINE)
                        .param("database", table.database())
                        .query(String.class)
                        .single(),
                pairs(about(client, COLUMNS)),
                pairs(client.sql(DEFAULTS)),
                known,
                about(client, INDEXES)
                        .query((row, index) -> new SkipIndex(row.getString(1), row.getString(2), row.getString(3)))
                        .list(),
                about(client, PROJECTIONS).query(String.class).list(),
                about(client, MUTATIONS).query(String.class).list(),
                about(client, MASKED_PARTS).query(Long.class).single(),
                about(client, DETACHED_PARTS).query(String.class).list(),
                about(client, POLICIES)
                        .query((row, index) -> new RowPolicy(
                                row.getString("name"),
                                row.getString("database"),
                                row.getString("table"),
                                row.getInt("is_restrictive") != 0,
                                row.getString("filter"),
                                row.getInt("applies") != 0))
                        .list(),
                ownTtl(client));
    }

    /** The deployment's TTL as the server would print it, so that no release's way of printing is taken for a difference. */
    private @Nullable String ownTtl(JdbcClient client) {
        String ttl = table.moveTtl();
        if (ttl == null) {
            return null;
        }
        String formatted = client.sql("select formatQuerySingleLine(:statement)")
                .param("statement", "alter table events modify ttl " + ttl)
                .query(String.class)
                .single();
        String marker = "MODIFY TTL ";
        int at = formatted.indexOf(marker);
        boolean bracketed = at > 0 && formatted.charAt(at - 1) == '(';
        return formatted.substring(at + marker.length(), formatted.length() - (bracketed ? 1 : 0));
    }

    private JdbcClient.StatementSpec about(JdbcClient client, String sql) {
        JdbcClient.StatementSpec statement = client.sql(sql).param("database", table.database());
        return statement.param("table", table.name());
    }

    private static Map<String, String> pairs(JdbcClient.StatementSpec statement) {
        Map<String, String> pairs = new HashMap<>();
        statement.query(row -> {
            pairs.put(row.getString(1), row.getString(2));
        });
        return pairs;
    }
}
