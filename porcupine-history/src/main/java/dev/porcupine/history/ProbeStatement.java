package dev.porcupine.history;

import dev.porcupine.schema.EventIdentity;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The one question that lookups ask: which of these identities stand in any physical row (P16, P25)?
 *
 * <p>Every setting that could hide a row, cut an answer or pass over an index is stated with the request, so that no profile, old or
 * new, of the operator's can turn a known identity into an absent one (P27, P28). A server that refuses one of them refuses the probe,
 * which closes the door instead of opening it.
 */
final class ProbeStatement {

    /** First in the text, for operators' query logs (P26). */
    static final String MARKER = "/* porcupine:receipts */";

    /** The measured optimum: five batches of 100 as one of 500 cost a third; more gains little and delays the rest. */
    static final int IDENTITIES_MAX = 500;

    /** P22, at the server; the client keeps a total deadline of its own. */
    static final int SERVER_SECONDS_MAX = 5;

    /** P22: 64 MiB. */
    private static final long MEMORY_BYTES_MAX = 64L << 20;

    /** P22: 1 GiB. */
    private static final long READ_BYTES_MAX = 1L << 30;

    /** P22: 2 MiB, and the same bound on the client's side. */
    static final int RESPONSE_BYTES_MAX = 2 << 20;

    static final Map<String, String> SETTINGS = settings();

    private ProbeStatement() {}

    /**
     * @param table database and table, checked and quoted
     * @param identities at least one, at most {@link #IDENTITIES_MAX}; in key order the server sorts less
     */
    static String sql(String table, Collection<EventIdentity> identities) {
        StringBuilder sql = new StringBuilder(200 + 48 * identities.size());
        sql.append(MARKER)
                .append(" select project_id, uuid from ")
                .append(table)
                .append(" where (project_id, uuid) in (");
        List<EventIdentity> list = new ArrayList<>(identities);
        for (int i = 0; i < list.size(); i++) {
            if (i > 0) {
                sql.append(',');
            }
            EventIdentity identity = list.get(i);
            sql.append('(')
                    .append(identity.project().value())
                    .append(",'")
                    .append(identity.uuid())
                    .append("')");
        }
        // Grouped, so that a key with thousands of unmerged revisions is one row of the answer.
        return sql.append(") group by project_id, uuid format JSONCompact").toString();
    }

    private static Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        // What could hide a physical row.
        settings.put("final", "0");
        settings.put("additional_table_filters", "{}");
        settings.put("additional_result_filter", "");
        settings.put("apply_deleted_mask", "0");
        settings.put("apply_patch_parts", "0");
        settings.put("apply_mutations_on_fly", "0");
        settings.put("use_query_cache", "0");
        settings.put("use_query_condition_cache", "0");
        settings.put("optimize_use_projections", "0");
        settings.put("optimize_use_implicit_projections", "0");
        settings.put("skip_unavailable_shards", "0");
        settings.put("max_parallel_replicas", "1");
        settings.put("enable_parallel_replicas", "0");
        // Some name has to stand here: ClickHouse can't parse an empty list. No index has this one.
        settings.put("ignore_data_skipping_indices", "none");
        // What could cut the answer. Each limit throws; those that P22 does not set are off.
        settings.put("limit", "0");
        settings.put("offset", "0");
        settings.put("max_result_rows", "0");
        settings.put("max_result_bytes", Integer.toString(RESPONSE_BYTES_MAX));
        settings.put("max_rows_to_read", "0");
        settings.put("max_rows_to_read_leaf", "0");
        settings.put("max_bytes_to_read", Long.toString(READ_BYTES_MAX));
        settings.put("max_bytes_to_read_leaf", "0");
        settings.put("max_rows_to_group_by", "0");
        settings.put("max_rows_in_set", "0");
        settings.put("max_bytes_in_set", "0");
        settings.put("max_memory_usage", Long.toString(MEMORY_BYTES_MAX));
        settings.put("max_execution_time", Integer.toString(SERVER_SECONDS_MAX));
        settings.put("max_execution_time_leaf", "0");
        settings.put("read_overflow_mode", "throw");
        settings.put("read_overflow_mode_leaf", "throw");
        settings.put("group_by_overflow_mode", "throw");
        settings.put("set_overflow_mode", "throw");
        settings.put("sort_overflow_mode", "throw");
        settings.put("distinct_overflow_mode", "throw");
        settings.put("result_overflow_mode", "throw");
        settings.put("timeout_overflow_mode", "throw");
        settings.put("timeout_overflow_mode_leaf", "throw");
        settings.put("partial_result_on_first_cancel", "0");
        settings.put("extremes", "0");
        // What makes the cost of a lost index a refusal instead of a full scan.
        settings.put("force_primary_key", "1");
        settings.put("use_skip_indexes", "1");
        settings.put("force_data_skipping_indices", "uuid_bloom");
        settings.put("use_skip_indexes_on_data_read", "0");
        settings.put("remote_filesystem_read_prefetch", "0");
        settings.put("allow_prefetched_read_pool_for_remote_filesystem", "0");
        // The envelope, and errors as real statuses.
        settings.put("output_format_json_quote_64bit_integers", "1");
        settings.put("output_format_write_statistics", "1");
        settings.put("http_write_exception_in_output_format", "0");
        settings.put("wait_end_of_query", "1");
        settings.put("max_query_size", "1048576");
        // An abandoned query stops on the server only with both.
        settings.put("readonly", "2");
        settings.put("cancel_http_readonly_queries_on_client_close", "1");
        return Collections.unmodifiableMap(settings);
    }
}
