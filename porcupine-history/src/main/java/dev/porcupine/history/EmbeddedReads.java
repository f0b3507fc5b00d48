package dev.porcupine.history;

import dev.porcupine.history.EventQuery.Position;
import dev.porcupine.history.HistoryReadException.Kind;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.sqlite.ProgressHandler;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Reads of the embedded history. SQLite knows no query timeout, so a progress handler stops a read that takes too long. */
final class EmbeddedReads {

    private static final Duration DEADLINE = Duration.ofSeconds(10);

    /** A page with more properties than this would not fit beside others in a small heap. */
    private static final int RESULT_BYTES_MAX = 32 * 1024 * 1024;

    /** Some milliseconds of work between two looks at the clock. */
    private static final int INSTRUCTIONS_PER_LOOK = 20_000;

    private static final String STANDS = "select 1 from events where project_id = ? and uuid = ?";

    private static final String COUNT = """
        select count(*) from events
        where project_id = ?1
            and is_deleted = 0
            and (?2 is null or uuid not in (select unhex(value) from json_each(?2)))
        """;

    private static final String COLUMNS =
            "uuid, revision, is_deleted, event, distinct_id, timestamp_micros, received_at_millis, properties";

    private static final String FIND = "select " + COLUMNS + " from events where project_id = ? and uuid = ?";

    /**
     * The one row-value bound is what lets the index skip to the page: a page's end and {@code to} are joined into it, so that a walk
     * with a {@code to} doesn't start from there for every page.
     */
    static final String PAGE = "select " + COLUMNS + """
         from events
        where project_id = ?1
            and is_deleted = 0
            and (timestamp_micros, uuid) < (?2, ?3)
            and timestamp_micros >= ?4
            and (?5 is null or event = ?5)
            and (?6 is null or distinct_id = ?6)
            and (?8 is null or uuid not in (select unhex(value) from json_each(?8)))
        order by timestamp_micros desc, uuid desc
        limit ?7
        """;

    private static final EventUuid LOWEST = new EventUuid(0, 0);

    private final EmbeddedFile file;
    private volatile boolean closed;

    EmbeddedReads(EmbeddedFile file) {
        this.file = file;
    }

    long count(ProjectId project, Set<EventUuid> without) {
        return read(connection -> {
            try (PreparedStatement select = connection.prepareStatement(COUNT)) {
                select.setLong(1, project.value());
                select.setString(2, hexes(without));
                try (ResultSet rows = select.executeQuery()) {
                    rows.next();
                    return rows.getLong(1);
                }
            }
        });
    }

    Set<EventIdentity> standing(Set<EventIdentity> identities) {
        return read(connection -> {
            Set<EventIdentity> found = new HashSet<>();
            try (PreparedStatement select = connection.prepareStatement(STANDS)) {
                for (EventIdentity identity : identities) {
                    select.setLong(1, identity.project().value());
                    select.setBytes(2, identity.uuid().toBytes());
                    try (ResultSet rows = select.executeQuery()) {
                        if (rows.next()) {
                            found.add(identity);
                        }
                    }
                }
            }
            return found;
        });
    }

    Set<EventUuid> standing(ProjectId project, Set<EventUuid> uuids) {
        Set<EventIdentity> asked = HashSet.newHashSet(uuids.size());
        uuids.forEach(uuid -> asked.add(new EventIdentity(project, uuid)));
        Set<EventUuid> found = HashSet.newHashSet(uuids.size());
        standing(asked).forEach(identity -> found.add(identity.uuid()));
        return found;
    }

    Optional<Event> find(EventIdentity identity) {
        return find(identity, DEADLINE);
    }

    Optional<Event> find(EventIdentity identity, Duration total) {
        return read(total, connection -> {
            try (PreparedStatement select = connection.prepareStatement(FIND)) {
                select.setLong(1, identity.project().value());
                select.setBytes(2, identity.uuid().toBytes());
                return events(select, identity.project()).stream().findFirst();
            }
        });
    }

    List<Event> page(EventQuery query, Set<EventUuid> without) {
        Position below = upperBound(query);
        return read(connection -> {
            try (PreparedStatement select = connection.prepareStatement(PAGE)) {
                select.setLong(1, query.project().value());
                select.setLong(2, below.timestampMicros());
                select.setBytes(3, below.uuid().toBytes());
                select.setLong(4, query.fromMicros() == null ? Long.MIN_VALUE : query.fromMicros());
                select.setString(5, query.name());
                select.setString(6, query.distinctId());
                select.setInt(7, query.limit());
                select.setString(8, hexes(without));
                return events(select, query.project());
            }
        });
    }

    /** A JSON array for one bind, or null for none. */
    private static @Nullable String hexes(Set<EventUuid> uuids) {
        if (uuids.isEmpty()) {
            return null;
        }
        if (uuids.size() > History.WITHOUT_MAX) {
            throw new IllegalArgumentException(
                    "at most " + History.WITHOUT_MAX + " events can be left out, got " + uuids.size());
        }
        HexFormat hex = HexFormat.of();
        return uuids.stream()
                .map(uuid -> hex.formatHex(uuid.toBytes()))
                .collect(Collectors.joining("\",\"", "[\"", "\"]"));
    }

    /** Refuses every later read. */
    void close() {
        closed = true;
    }

    /** Where the page's events lie strictly below: the lower one of the end of the page before and {@code to}. */
    private static Position upperBound(EventQuery query) {
        Position end = new Position(query.toMicros() == null ? Long.MAX_VALUE : query.toMicros(), LOWEST);
        Position after = query.after();
        return after != null && after.timestampMicros() < end.timestampMicros() ? after : end;
    }

    private static List<Event> events(PreparedStatement select, ProjectId project) throws SQLException {
        List<Event> events = new ArrayList<>();
        long bytes = 0;
        try (ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                byte[] properties = rows.getBytes(8);
                bytes += properties.length;
                if (bytes > RESULT_BYTES_MAX && !events.isEmpty()) {
                    throw new HistoryReadException(
                            Kind.LIMIT,
                            "The answer is larger than " + RESULT_BYTES_MAX + " bytes; ask for fewer events at once");
                }
                events.add(new Event(
                        new EventIdentity(project, EventUuid.ofBytes(rows.getBytes(1))),
                        rows.getLong(2),
                        rows.getInt(3) != 0,
                        rows.getString(4),
                        rows.getString(5),
                        rows.getLong(6),
                        rows.getLong(7),
                        properties));
            }
        }
        return events;
    }

    private <T> T read(Query<T> query) {
        return read(DEADLINE, query);
    }

    private <T> T read(Duration deadline, Query<T> query) {
        if (closed) {
            throw new HistoryReadException(Kind.UNAVAILABLE, "The history was closed");
        }
        long end = System.nanoTime() + deadline.toNanos();
        try (Connection connection = file.openReader()) {
            ProgressHandler.setHandler(connection, INSTRUCTIONS_PER_LOOK, new ProgressHandler() {
                @Override
                protected int progress() {
                    return System.nanoTime() - end > 0 ? 1 : 0;
                }
            });
            return query.with(connection);
        } catch (SQLException e) {
            boolean stopped =
                    e instanceof SQLiteException sqlite && sqlite.getResultCode() == SQLiteErrorCode.SQLITE_INTERRUPT;
            throw stopped
                    ? new HistoryReadException(
                            Kind.LIMIT, "The read took longer than " + deadline.toMillis() + " ms", e)
                    : new HistoryReadException(Kind.UNAVAILABLE, "The embedded history can't be read", e);
        }
    }

    @FunctionalInterface
    private interface Query<T> {
        T with(Connection connection) throws SQLException;
    }
}
