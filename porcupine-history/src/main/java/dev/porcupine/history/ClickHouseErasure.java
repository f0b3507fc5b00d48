package dev.porcupine.history;

import dev.porcupine.history.HttpOutcome.Broken;
import dev.porcupine.history.HttpOutcome.Complete;
import dev.porcupine.history.HttpOutcome.Reason;
import dev.porcupine.history.HttpOutcome.Refused;
import dev.porcupine.schema.ProjectId;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Deletes a project by one mutation over all partitions, cold ones included, and believes only a count.
 *
 * <p>A mutation rewrites the parts that exist when it is asked for. It is the server's from then on: it goes on when the client's deadline
 * passes, when either process is killed, and is repeated by the server after an error. So before another is asked for, the server's list
 * is looked at; one of this project that is not done is waited for, whoever asked for it and when. One that is done while rows are left came
 * before those rows, and another is asked for. Never a lightweight delete: its mask leaves the rows where they are, and verification
 * takes it for somebody else's work.
 */
final class ClickHouseErasure implements ProjectErasure {

    /** The server's own limit of an insert, and some more for one that is past its last look at the clock. */
    private static final Duration INSERTS_LINGER = ClickHouseInsert.SERVER_DEADLINE.plusSeconds(5);

    private static final int RESPONSE_BYTES_MAX = 1 << 20;

    /** UNFINISHED: the mutation met an error. The server tries it again by itself. */
    private static final int UNFINISHED = 341;

    private static final int ACCESS_DENIED = 497;

    private static final String COUNT = """
            select toInt64(count())
            from ${table}
            where project_id = {project:UInt64}
            format RowBinary
            """;

    private static final String PENDING = """
            select command, latest_fail_reason
            from system.mutations
            where database = {database:String} and table = {table:String} and is_done = 0
            limit 1000
            format RowBinary
            """;

    /** Every physical row, by whatever it might be hidden from an ordinary read. */
    private static final Map<String, String> COUNT_SETTINGS = countSettings();

    private static final Map<String, String> DELETE_SETTINGS = deleteSettings();

    private final ClickHouseHttp http;
    private final ClickHouseTable table;
    private final SourceCheck check;
    private final ClickHouseDeadlines deadlines;
    private final Duration deleteWait;

    /**
     * @param deleteWait how long a call waits for a mutation
     */
    ClickHouseErasure(
            ClickHouseHttp http,
            ClickHouseTable table,
            SourceCheck check,
            ClickHouseDeadlines deadlines,
            Duration deleteWait) {
        this.http = http;
        this.table = table;
        this.check = check;
        this.deadlines = deadlines;
        this.deleteWait = deleteWait;
    }

    @Override
    public EraseResult erase(VerifiedSource source, ProjectId project) {
        EraseResult before = look(source, project);
        if (!(before instanceof EraseResult.Left)) {
            return before;
        }
        try {
            List<Pending> pending = pending(project);
            for (Pending mutation : pending) {
                if (!mutation.failure().isEmpty()) {
                    return new EraseResult.Failed("ClickHouse can't finish the deletion of project " + project
                            + " and goes on trying: " + mutation.failure());
                }
            }
            if (!pending.isEmpty()) {
                return before;
            }
        } catch (UnansweredException e) {
            return new EraseResult.Failed("which deletions are under way can't be told: " + e.getMessage());
        }
        String obstacle = delete(project);
        return obstacle == null ? look(source, project) : new EraseResult.Failed(obstacle);
    }

    @Override
    public EraseResult look(VerifiedSource source, ProjectId project) {
        try {
            List<Long> counts = rows(
                    new ClickHouseRequest(
                                    COUNT_SETTINGS,
                                    BodyPublishers.ofString(COUNT.replace("${table}", table.qualified())),
                                    deadlines.read(),
                                    RESPONSE_BYTES_MAX)
                            .with(Map.of("param_project", project.toString())),
                    RowBinary::int64);
            if (counts.size() != 1) {
                return new EraseResult.Failed("a count has one row, found " + counts.size());
            }
            // An empty table of the same name would have none, too.
            String doubt = check.doubt(source, deadlines.identity());
            if (doubt != null) {
                return new EraseResult.Failed(doubt);
            }
            long rows = counts.getFirst();
            return rows == 0 ? new EraseResult.Empty() : new EraseResult.Left(rows);
        } catch (UnansweredException e) {
            return new EraseResult.Failed("the project's rows can't be counted: " + e.getMessage());
        }
    }

    @Override
    public Duration insertsLinger() {
        return INSERTS_LINGER;
    }

    /** Null when it is done, or goes on at the server. */
    private @Nullable String delete(ProjectId project) {
        // The very words that OwnRemovals recognises, so a number and not a parameter.
        String sql = "alter table " + table.qualified() + " delete where project_id = " + project.value();
        HttpOutcome outcome = http.exchange(
                new ClickHouseRequest(DELETE_SETTINGS, BodyPublishers.ofString(sql), deleteWait, RESPONSE_BYTES_MAX));
        return switch (outcome) {
            case Complete _ -> null;
            case Refused refused
            when refused.code() == ACCESS_DENIED ->
                "the user may not delete. Run: GRANT ALTER DELETE ON " + table.qualified() + " TO the user";
            case Refused refused
            when refused.code() == UNFINISHED ->
                "ClickHouse can't finish the deletion and goes on trying: " + refused.message();
            case Refused refused -> "ClickHouse refused with error " + refused.code() + " " + refused.name();
            case Broken broken when broken.reason() == Reason.DEADLINE -> null;
            case Broken broken -> broken.reason() + ": " + broken.detail();
        };
    }

    private List<Pending> pending(ProjectId project) throws UnansweredException {
        List<Pending> all = rows(
                new ClickHouseRequest(
                                ReadSettings.METADATA,
                                BodyPublishers.ofString(PENDING),
                                deadlines.identity(),
                                RESPONSE_BYTES_MAX)
                        .with(Map.of("param_database", table.database(), "param_table", table.name())),
                row -> new Pending(row.text(), row.text()));
        return all.stream()
                .filter(mutation -> OwnRemovals.removes(mutation.command(), project.value()))
                .toList();
    }

    private <T> List<T> rows(ClickHouseRequest request, RowBinary.Row<T> row) throws UnansweredException {
        HttpOutcome outcome = http.exchange(request);
        if (!(outcome instanceof Complete complete)) {
            throw new UnansweredException(
                    switch (outcome) {
                        case Refused refused ->
                            "ClickHouse refused with error " + refused.code() + " " + refused.name();
                        case Broken broken -> broken.reason() + ": " + broken.detail();
                        case Complete _ -> "";
                    });
        }
        try {
            List<T> rows = RowBinary.rows(complete.body(), row);
            if (complete.resultRows().isEmpty() || complete.resultRows().getAsLong() != rows.size()) {
                throw new UnansweredException("ClickHouse's answer is incomplete");
            }
            return rows;
        } catch (RowBinary.IncompleteException e) {
            throw new UnansweredException("ClickHouse's answer is incomplete");
        }
    }

    private record Pending(String command, String failure) {}

    private static final class UnansweredException extends Exception {
        private static final long serialVersionUID = 1;

        UnansweredException(String message) {
            super(message);
        }
    }

    private static Map<String, String> countSettings() {
        Map<String, String> settings = new LinkedHashMap<>(ReadSettings.EVENTS);
        settings.put("apply_deleted_mask", "0");
        settings.put("apply_patch_parts", "0");
        settings.put("apply_mutations_on_fly", "0");
        settings.put("optimize_use_projections", "0");
        settings.put("optimize_use_implicit_projections", "0");
        settings.put("max_rows_to_read", "0");
        settings.put("max_bytes_to_read", "0");
        settings.put("force_primary_key", "1");
        return Map.copyOf(settings);
    }

    private static Map<String, String> deleteSettings() {
        Map<String, String> settings = new LinkedHashMap<>();
        // Answers when every part is rewritten, on every replica there may be.
        settings.put("mutations_sync", "2");
        settings.put("alter_sync", "2");
        // The wait ends with the client's deadline; the profile must not end the statement before.
        settings.put("max_execution_time", "0");
        settings.put("lock_acquire_timeout", "10");
        settings.put("validate_mutation_query", "1");
        settings.put("allow_nondeterministic_mutations", "0");
        // The condition is the project and nothing else.
        settings.put("additional_table_filters", "{}");
        return Map.copyOf(settings);
    }
}
