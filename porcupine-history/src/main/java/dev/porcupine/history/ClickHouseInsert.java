package dev.porcupine.history;

import dev.porcupine.history.HttpOutcome.Broken;
import dev.porcupine.history.HttpOutcome.Complete;
import dev.porcupine.history.HttpOutcome.Refused;
import dev.porcupine.schema.Event;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writes a batch with one synchronous INSERT and says what ClickHouse made of it (P9).
 *
 * <p>An acknowledgement lets the ledger forget the payload and, later, the receipt, so it takes all of: HTTP 200 to this very query,
 * no exception, an empty body, a summary that counts every row, and after all that the table still being the verified one. The table
 * itself is created with {@code fsync_after_insert}. Everything less is {@link InsertResult.Unknown}, after which the same batch is
 * written again: the table's key makes that harmless.
 */
final class ClickHouseInsert {

    /** The server gives up before the client does, so that no abandoned insert lingers there. */
    static final Duration SERVER_DEADLINE = Duration.ofSeconds(20);

    private static final int RESPONSE_BYTES_MAX = 64 * 1024;

    /**
     * What the meaning of an insert depends on. The operator's profile and newer server defaults set several of these otherwise: 26.7
     * buffers inserts asynchronously and drops repeated blocks by default, and would skip a column it doesn't know.
     */
    static final Map<String, String> SETTINGS = settings();

    /**
     * Errors that a value in a row can cause: a CHECK constraint, or an operator's own MATERIALIZED column or materialized view that
     * can't take the value. A code that can also have another cause is not here: 33 is a cut body, 117 a drifted column type, 241
     * memory, 252 too many parts. Such a batch waits and is written again, which is visible; a row refused by mistake would be
     * quarantined.
     */
    private static final Set<Integer> ROW_ERRORS = Set.of(
            6, // CANNOT_PARSE_TEXT
            38, // CANNOT_PARSE_DATE
            41, // CANNOT_PARSE_DATETIME
            69, // ARGUMENT_OUT_OF_BOUND
            72, // CANNOT_PARSE_NUMBER
            131, // TOO_LARGE_STRING_SIZE
            153, // ILLEGAL_DIVISION
            321, // VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
            349, // CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN
            376, // CANNOT_PARSE_UUID
            395, // FUNCTION_THROW_IF_VALUE_IS_NON_ZERO
            407, // DECIMAL_OVERFLOW
            469, // VIOLATED_CONSTRAINT
            675, // CANNOT_PARSE_IPV4
            676, // CANNOT_PARSE_IPV6
            691); // UNKNOWN_ELEMENT_OF_ENUM

    private final ClickHouseHttp http;
    private final SourceCheck check;
    private final ClickHouseDeadlines deadlines;
    private final String statement;

    ClickHouseInsert(ClickHouseHttp http, SourceCheck check, ClickHouseTable table, ClickHouseDeadlines deadlines) {
        this.http = http;
        this.check = check;
        this.deadlines = deadlines;
        String columns = ClickHouseTable.COLUMNS.stream()
                .map(ClickHouseTable.Column::name)
                .collect(Collectors.joining(", "));
        statement = "insert into " + table.qualified() + " (" + columns + ") format RowBinaryWithNamesAndTypes";
    }

    InsertResult insert(VerifiedSource source, List<Event> events) {
        if (events.isEmpty()) {
            return new InsertResult.Acknowledged();
        }
        HttpOutcome outcome = http.exchange(
                new ClickHouseRequest(SETTINGS, EventRows.publisher(events), deadlines.insert(), RESPONSE_BYTES_MAX)
                        .with(Map.of("query", statement)));
        InsertResult result = judge(outcome, events.size());
        if (result instanceof InsertResult.Unknown) {
            return result;
        }
        String doubt = check.doubt(source, deadlines.identity());
        return doubt == null ? result : new InsertResult.Unknown("the insert ended, but " + doubt);
    }

    private static InsertResult judge(HttpOutcome outcome, int rows) {
        return switch (outcome) {
            case Complete complete -> {
                if (complete.body().hasRemaining()) {
                    yield new InsertResult.Unknown("ClickHouse answered the insert with a body, which it never should");
                }
                // Materialized views add their own rows to the number, so more is fine; fewer means some were not
                // written.
                if (complete.writtenRows().isEmpty() || complete.writtenRows().getAsLong() < rows) {
                    yield new InsertResult.Unknown("ClickHouse doesn't say that it wrote all " + rows + " rows");
                }
                yield new InsertResult.Acknowledged();
            }
            case Refused refused -> {
                String reason = "ClickHouse refused with error " + refused.code() + " " + refused.name();
                yield refused.running() && ROW_ERRORS.contains(refused.code())
                        ? new InsertResult.RowsRefused(reason + constraint(refused.message()))
                        : new InsertResult.Unknown(reason);
            }
            case Broken broken -> new InsertResult.Unknown(broken.reason() + ": " + broken.detail());
        };
    }

    /** The constraint's name, without the values that follow it in ClickHouse's message. */
    private static String constraint(String message) {
        int open = message.indexOf("Constraint `");
        int close = open < 0 ? -1 : message.indexOf('`', open + 12);
        return close < 0 ? "" : ": constraint " + message.substring(open + 12, close);
    }

    private static Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("async_insert", "0");
        settings.put("wait_for_async_insert", "1");
        settings.put("insert_deduplicate", "0");
        settings.put("deduplicate_insert", "disable");
        settings.put("deduplicate_blocks_in_dependent_materialized_views", "0");
        settings.put("insert_quorum", "0");
        // Every physical row as sent, so that the written rows can be counted.
        settings.put("optimize_on_insert", "0");
        // A backlog and mutations may touch any number of months; the default of 100 would refuse such a batch for
        // ever.
        settings.put("max_partitions_per_insert_block", "0");
        // One batch, one block, one part per month.
        settings.put("max_insert_block_size", "1048576");
        settings.put("max_insert_block_size_bytes", "0");
        settings.put("min_insert_block_size_rows", "1048576");
        settings.put("min_insert_block_size_bytes", "268435456");
        settings.put("input_format_allow_errors_num", "0");
        settings.put("input_format_allow_errors_ratio", "0");
        settings.put("input_format_skip_unknown_fields", "0");
        settings.put("input_format_with_names_use_header", "1");
        settings.put("input_format_with_types_use_header", "1");
        settings.put("format_binary_max_string_size", "1073741824");
        settings.put("materialized_views_ignore_errors", "0");
        settings.put("max_execution_time", Long.toString(SERVER_DEADLINE.toSeconds()));
        settings.put("timeout_overflow_mode", "throw");
        settings.put("timeout_before_checking_execution_speed", "0");
        return Map.copyOf(settings);
    }
}
