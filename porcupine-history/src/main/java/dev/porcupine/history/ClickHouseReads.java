package dev.porcupine.history;

import dev.porcupine.history.EventQuery.Position;
import dev.porcupine.history.HistoryReadException.Kind;
import dev.porcupine.history.HttpOutcome.Broken;
import dev.porcupine.history.HttpOutcome.Complete;
import dev.porcupine.history.HttpOutcome.Reason;
import dev.porcupine.history.HttpOutcome.Refused;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Reads of the events table, exact whatever the background merges have done so far: {@code final} collapses revisions at read time.
 * Each read is complete or throws.
 *
 * <p>UUIDs are compared and returned as {@code UUIDToNum}, their bytes in network order: ClickHouse itself sorts a UUID by its second
 * half.
 */
final class ClickHouseReads {

    private static final String COUNT = """
        select toInt64(count())
        from ${table} final
        where project_id = {project:UInt64} and is_deleted = 0${without}
        format RowBinary
        """;

    private static final String STANDING = """
        select UUIDToNum(uuid)
        from ${table}
        where project_id = {project:UInt64} and uuid in (${uuids})
        group by uuid
        format RowBinary
        """;

    private static final String FIND = """
        select ${columns}
        from ${table}
        where project_id = {project:UInt64} and uuid = {uuid:UUID}
        order by revision desc
        limit 1
        format RowBinary
        """;

    /** Only the narrow columns: under {@code final} everything named here is read for the whole project. */
    private static final String PAGE_KEYS = """
        select UUIDToNum(uuid), revision
        from ${table} final
        where project_id = {project:UInt64} and is_deleted = 0${filters}${without}
        order by timestamp_micros desc, UUIDToNum(uuid) desc
        limit {rows:UInt32}
        format RowBinary
        """;

    /** The keys are UUIDs and numbers of our own making, so they may stand in the text: thousands don't fit into a URL. */
    private static final String PAGE_ROWS = """
        select ${columns}
        from ${table}
        where project_id = {project:UInt64} and uuid in (${uuids}) and (uuid, revision) in (${keys})
        limit 1 by uuid
        format RowBinary
        """;

    private static final String COLUMNS =
            "UUIDToNum(uuid), revision, is_deleted, event, distinct_id, timestamp_micros, received_at, properties";

    /** Errors that say the read was too large or too slow, not that the server is out of reach. */
    private static final Set<Integer> LIMIT_ERRORS = Set.of(
            158, // TOO_MANY_ROWS
            159, // TIMEOUT_EXCEEDED
            160, // TOO_SLOW
            191, // SET_SIZE_LIMIT_EXCEEDED
            241, // MEMORY_LIMIT_EXCEEDED
            307, // TOO_MANY_BYTES
            396); // TOO_MANY_ROWS_OR_BYTES

    /** A merge that drops a revision between a page's two queries makes it start again; this often in a row is no coincidence. */
    private static final int PAGE_ATTEMPTS = 4;

    private final ClickHouseHttp http;
    private final ClickHouseTable table;
    private final Duration deadline;

    ClickHouseReads(ClickHouseHttp http, ClickHouseTable table, ClickHouseDeadlines deadlines) {
        this.http = http;
        this.table = table;
        this.deadline = deadlines.read();
    }

    long count(ProjectId project, Set<EventUuid> without) {
        String sql = COUNT.replace("${without}", exclusion(without));
        List<Long> counts = read(sql, parameters(project), RowBinary::int64, Deadline.after(deadline));
        if (counts.size() != 1) {
            throw incomplete("a count has one row, found " + counts.size());
        }
        return counts.getFirst();
    }

    Optional<Event> find(EventIdentity identity) {
        return find(identity, deadline);
    }

    Optional<Event> find(EventIdentity identity, Duration total) {
        Map<String, String> parameters = parameters(identity.project());
        parameters.put("param_uuid", identity.uuid().toString());
        List<Event> found = read(FIND, parameters, row -> event(identity.project(), row), Deadline.after(total));
        return found.stream().findFirst();
    }

    Set<EventUuid> standing(ProjectId project, Set<EventUuid> uuids) {
        if (uuids.isEmpty()) {
            return Set.of();
        }
        if (uuids.size() > EventQuery.LIMIT_MAX) {
            throw new IllegalArgumentException(
                    "at most " + EventQuery.LIMIT_MAX + " events at once, got " + uuids.size());
        }
        String sql = STANDING.replace("${uuids}", literals(uuids));
        return new HashSet<>(read(sql, parameters(project), RowBinary::uuid, Deadline.after(deadline)));
    }

    List<Event> page(EventQuery query, Set<EventUuid> without) {
        Deadline end = Deadline.after(deadline);
        for (int attempt = 0; attempt < PAGE_ATTEMPTS; attempt++) {
            List<Key> keys = pageKeys(query, without, end);
            if (keys.isEmpty()) {
                return List.of();
            }
            Map<EventUuid, Event> rows = pageRows(query.project(), keys, end);
            if (rows.size() == keys.size()) {
                return keys.stream().map(key -> event(rows, key)).toList();
            }
        }
        throw new HistoryReadException(Kind.UNAVAILABLE, "The events of the page change too fast to read them");
    }

    /** A condition on the key, so it leaves out all revisions of an event, whenever {@code final} looks at it. */
    private static String exclusion(Set<EventUuid> without) {
        if (without.size() > History.WITHOUT_MAX) {
            throw new IllegalArgumentException(
                    "at most " + History.WITHOUT_MAX + " events can be left out, got " + without.size());
        }
        return without.isEmpty() ? "" : " and uuid not in (" + literals(without) + ")";
    }

    private static String literals(Collection<EventUuid> uuids) {
        return uuids.stream().map(uuid -> "'" + uuid + "'").collect(Collectors.joining(","));
    }

    private List<Key> pageKeys(EventQuery query, Set<EventUuid> without, Deadline end) {
        Map<String, String> parameters = parameters(query.project());
        parameters.put("param_rows", Integer.toString(query.limit()));
        StringBuilder filters = new StringBuilder();
        // Texts travel as hex: a parameter's value is otherwise read with escapes of its own.
        if (query.name() != null) {
            filters.append(" and event = unhex({name:String})");
            parameters.put("param_name", hex(query.name()));
        }
        if (query.distinctId() != null) {
            filters.append(" and distinct_id = unhex({distinct_id:String})");
            parameters.put("param_distinct_id", hex(query.distinctId()));
        }
        if (query.fromMicros() != null) {
            filters.append(" and timestamp_micros >= {from:Int64}");
            parameters.put("param_from", query.fromMicros().toString());
        }
        if (query.toMicros() != null) {
            filters.append(" and timestamp_micros < {to:Int64}");
            parameters.put("param_to", query.toMicros().toString());
        }
        Position after = query.after();
        if (after != null) {
            filters.append(" and (timestamp_micros, UUIDToNum(uuid))"
                    + " < ({after:Int64}, toFixedString(unhex({after_uuid:String}), 16))");
            parameters.put("param_after", Long.toString(after.timestampMicros()));
            parameters.put(
                    "param_after_uuid", HexFormat.of().formatHex(after.uuid().toBytes()));
        }
        String sql = PAGE_KEYS.replace("${filters}", filters).replace("${without}", exclusion(without));
        return read(sql, parameters, row -> new Key(row.uuid(), row.int64()), end);
    }

    private Map<EventUuid, Event> pageRows(ProjectId project, List<Key> keys, Deadline end) {
        String uuids = literals(keys.stream().map(Key::uuid).toList());
        String pairs = keys.stream()
                .map(key -> "('" + key.uuid() + "'," + key.revision() + ")")
                .collect(Collectors.joining(","));
        String sql = PAGE_ROWS.replace("${uuids}", uuids).replace("${keys}", pairs);
        Map<EventUuid, Event> rows = HashMap.newHashMap(keys.size());
        for (Event event : read(sql, parameters(project), row -> event(project, row), end)) {
            rows.put(event.identity().uuid(), event);
        }
        return rows;
    }

    private <T> List<T> read(String sql, Map<String, String> parameters, RowBinary.Row<T> row, Deadline end) {
        String text = sql.replace("${columns}", COLUMNS).replace("${table}", table.qualified());
        HttpOutcome outcome = http.exchange(new ClickHouseRequest(
                        ReadSettings.EVENTS, BodyPublishers.ofString(text), end.rest(), ReadSettings.RESULT_BYTES_MAX)
                .with(parameters));
        Complete answer = switch (outcome) {
            case Complete complete -> complete;
            case Refused refused ->
                throw LIMIT_ERRORS.contains(refused.code())
                        ? new HistoryReadException(
                                Kind.LIMIT, "The read went over a limit of ClickHouse (" + refused.name() + ")")
                        : new HistoryReadException(
                                Kind.UNAVAILABLE,
                                "ClickHouse refused the read with error " + refused.code() + " " + refused.name());
            case Broken broken ->
                throw broken.reason() == Reason.TOO_LARGE
                        ? new HistoryReadException(
                                Kind.LIMIT,
                                "The answer is larger than " + ReadSettings.RESULT_BYTES_MAX
                                        + " bytes; ask for fewer events at once")
                        : new HistoryReadException(Kind.UNAVAILABLE, "ClickHouse gave no answer: " + broken.detail());
        };
        try {
            List<T> rows = RowBinary.rows(answer.body(), row);
            if (answer.resultRows().isEmpty() || answer.resultRows().getAsLong() != rows.size()) {
                throw incomplete("it doesn't announce the " + rows.size() + " rows that it holds");
            }
            return rows;
        } catch (RowBinary.IncompleteException e) {
            throw new HistoryReadException(Kind.UNAVAILABLE, "ClickHouse's answer is incomplete", e);
        }
    }

    private static HistoryReadException incomplete(String detail) {
        return new HistoryReadException(Kind.UNAVAILABLE, "ClickHouse's answer is incomplete: " + detail);
    }

    private static Map<String, String> parameters(ProjectId project) {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("param_project", project.toString());
        return parameters;
    }

    private static Event event(ProjectId project, RowBinary row) {
        return new Event(
                new EventIdentity(project, row.uuid()),
                row.int64(),
                row.bool(),
                row.text(),
                row.text(),
                row.int64(),
                row.int64(),
                row.string());
    }

    private static Event event(Map<EventUuid, Event> rows, Key key) {
        Event event = rows.get(key.uuid());
        if (event == null) {
            throw incomplete("an event of the page is missing");
        }
        return event;
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }

    private record Key(EventUuid uuid, long revision) {}

    /** The total deadline of a read that may take several exchanges. */
    private record Deadline(long endNanos) {

        static Deadline after(Duration duration) {
            return new Deadline(System.nanoTime() + duration.toNanos());
        }

        Duration rest() {
            return Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
        }
    }
}
