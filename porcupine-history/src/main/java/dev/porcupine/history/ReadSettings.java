package dev.porcupine.history;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Settings that every read states, so that the operator's profile can neither hide rows nor return part of them, and so that a read
 * which the client gave up stops on the server: that takes read-only mode and the cancel setting together.
 */
final class ReadSettings {

    /** The server gives up before the client does, and can then say why. */
    static final Duration SERVER_DEADLINE = Duration.ofSeconds(8);

    /** Cap of an answer, on both sides. A page of the largest events can go over it; a smaller page then fits. */
    static final int RESULT_BYTES_MAX = 32 * 1024 * 1024;

    private static final int QUERY_BYTES_MAX = 2 << 20;
    private static final int AST_ELEMENTS_MAX = 1_000_000;
    private static final int METADATA_SECONDS = 4;
    private static final long MEMORY_BYTES_MAX = 1L << 30;

    /** For one or two rows of a system table. */
    static final Map<String, String> METADATA = settings(METADATA_SECONDS);

    /** For rows of the events table. */
    static final Map<String, String> EVENTS = settings(SERVER_DEADLINE.toSeconds());

    private ReadSettings() {}

    private static Map<String, String> settings(long seconds) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("readonly", "2");
        settings.put("cancel_http_readonly_queries_on_client_close", "1");
        settings.put("max_execution_time", Long.toString(seconds));
        settings.put("timeout_overflow_mode", "throw");
        settings.put("timeout_before_checking_execution_speed", "0");
        settings.put("max_memory_usage", Long.toString(MEMORY_BYTES_MAX));
        settings.put("max_result_bytes", Integer.toString(RESULT_BYTES_MAX));
        settings.put("max_result_rows", "0");
        settings.put("result_overflow_mode", "throw");
        settings.put("read_overflow_mode", "throw");
        settings.put("sort_overflow_mode", "throw");
        settings.put("set_overflow_mode", "throw");
        settings.put("limit", "0");
        settings.put("offset", "0");
        settings.put("additional_table_filters", "{}");
        settings.put("additional_result_filter", "");
        // The marks are read whole.
        settings.put("force_primary_key", "0");
        settings.put("force_index_by_date", "0");
        settings.put("use_query_cache", "0");
        settings.put("use_query_condition_cache", "0");
        // FINAL is written in the queries that mean it, and means the whole table there.
        settings.put("final", "0");
        settings.put("do_not_merge_across_partitions_select_final", "0");
        settings.put("enable_automatic_decision_for_merging_across_partitions_for_final", "0");
        settings.put("use_skip_indexes_if_final", "0");
        settings.put("optimize_move_to_prewhere_if_final", "0");
        settings.put("extremes", "0");
        // Room for the uuids that a read leaves out: 39 bytes each, all of them.
        settings.put("max_query_size", Integer.toString(QUERY_BYTES_MAX));
        settings.put("max_ast_elements", Integer.toString(AST_ELEMENTS_MAX));
        settings.put("max_expanded_ast_elements", Integer.toString(AST_ELEMENTS_MAX));
        settings.put("max_rows_in_set", "0");
        settings.put("max_bytes_in_set", "0");
        settings.put("enable_http_compression", "0");
        return Map.copyOf(settings);
    }
}
