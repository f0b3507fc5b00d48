package dev.porcupine.ledger;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

/**
 * What readers lay over history so that a mutation shows at once: the events whose newest revision, named by the head, still waits in queue or
 * quarantine. Found by the heads' own partial index, so a read costs what is pending, however long queue and heads are.
 */
public final class PendingRevisions {

    /** One read lays at most so many events over history: they travel to it in the query. */
    public static final int UUIDS_MAX = 20_000;

    /** A head whose revision is in neither table was taken out by hand; then history's newest counts. */
    static final String PENDING = """
        select h.uuid
        from mutation_heads as h indexed by mutation_heads_pending
        where h.project_id = ?1
            and h.pending = 1
            and (?2 = 0 or h.is_deleted = 1)
            and (exists (
                    select 1 from event_queue as q
                    where q.project_id = h.project_id and q.uuid = h.uuid and q.revision = h.revision)
                or exists (
                    select 1 from event_quarantine as q
                    where q.project_id = h.project_id and q.uuid = h.uuid and q.revision = h.revision))
        limit ?3
        """;

    /** Narrow columns only: what is sorted is held in memory. */
    static final String MATCHING = """
        select p.seq, p.quarantined
        from (
            select q.seq, 0 as quarantined, q.uuid, q.timestamp_us, q.name, q.distinct_id
            from mutation_heads as h indexed by mutation_heads_pending
                cross join event_queue as q on q.project_id = h.project_id and q.uuid = h.uuid and q.revision = h.revision
            where h.project_id = ?1 and h.pending = 1 and h.is_deleted = 0
            union all
            select q.seq, 1, q.uuid, q.timestamp_us, q.name, q.distinct_id
            from mutation_heads as h indexed by mutation_heads_pending
                cross join event_quarantine as q
                    on q.project_id = h.project_id and q.uuid = h.uuid and q.revision = h.revision
            where h.project_id = ?1 and h.pending = 1 and h.is_deleted = 0
        ) as p
        where (?2 is null or p.name = ?2)
            and (?3 is null or p.distinct_id = ?3)
            and (?4 is null or p.timestamp_us >= ?4)
            and (?5 is null or p.timestamp_us < ?5)
            and (?6 is null or (p.timestamp_us, p.uuid) < (?6, ?7))
        order by p.timestamp_us desc, p.uuid desc
        limit ?8
        """;

    private static final String QUEUED = "select " + EventRows.COLUMNS + " from event_queue where seq = ?";

    private static final String QUARANTINED = "select " + EventRows.COLUMNS + " from event_quarantine where seq = ?";

    private final DataSource readers;

    PendingRevisions(DataSource readers) {
        this.readers = readers;
    }

    /**
     * Events that a pending tombstone deletes.
     *
     * @throws ProblemException {@code MUTATIONS_PENDING} when there are more than {@value #UUIDS_MAX}, {@code LEDGER_UNAVAILABLE} when the
     *     ledger can't be read
     */
    public Set<EventUuid> deleted(ProjectId project) {
        return inSnapshot(connection -> uuids(connection, project, true));
    }

    /**
     * What a page of a listing needs.
     *
     * @throws ProblemException as above
     */
    public PendingPage page(PendingFilter filter) {
        return inSnapshot(connection -> {
            Set<EventUuid> uuids = uuids(connection, filter.project(), false);
            return uuids.isEmpty() ? new PendingPage(uuids, List.of(), false) : page(connection, uuids, filter);
        });
    }

    private static Set<EventUuid> uuids(Connection connection, ProjectId project, boolean onlyDeleted)
            throws SQLException {
        Set<EventUuid> uuids = new HashSet<>();
        try (PreparedStatement select = connection.prepareStatement(PENDING)) {
            select.setLong(1, project.value());
            select.setInt(2, onlyDeleted ? 1 : 0);
            select.setInt(3, UUIDS_MAX + 1);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    uuids.add(EventUuid.ofBytes(row.getBytes(1)));
                }
            }
        }
        if (uuids.size() > UUIDS_MAX) {
            throw new ProblemException(
                    Problem.MUTATIONS_PENDING,
                    "more than " + UUIDS_MAX + " mutated events of project " + project
                            + " wait for delivery; until then its events can be read one by one only");
        }
        return uuids;
    }

    private static PendingPage page(Connection connection, Set<EventUuid> uuids, PendingFilter filter)
            throws SQLException {
        List<Event> events = new ArrayList<>();
        long bytes = 0;
        try (PreparedStatement matching = connection.prepareStatement(MATCHING);
                PreparedStatement queued = connection.prepareStatement(QUEUED);
                PreparedStatement quarantined = connection.prepareStatement(QUARANTINED)) {
            bind(matching, filter);
            try (ResultSet row = matching.executeQuery()) {
                while (row.next()) {
                    if (events.size() == filter.eventsMax() || bytes >= filter.bytesMax()) {
                        return new PendingPage(uuids, events, true);
                    }
                    Event event = read(row.getInt(2) == 0 ? queued : quarantined, row.getLong(1));
                    events.add(event);
                    bytes += event.properties().length;
                }
            }
        }
        return new PendingPage(uuids, events, false);
    }

    private static void bind(PreparedStatement matching, PendingFilter filter) throws SQLException {
        matching.setLong(1, filter.project().value());
        matching.setString(2, filter.name());
        matching.setString(3, filter.distinctId());
        matching.setObject(4, filter.fromMicros());
        matching.setObject(5, filter.toMicros());
        matching.setObject(6, filter.afterMicros());
        EventUuid after = filter.afterUuid();
        matching.setBytes(7, after == null ? null : after.toBytes());
        matching.setLong(8, filter.eventsMax() + 1L);
    }

    private static Event read(PreparedStatement select, long seq) throws SQLException {
        select.setLong(1, seq);
        try (ResultSet row = select.executeQuery()) {
            if (!row.next()) {
                throw new SQLException("a row vanished from a snapshot");
            }
            return EventRows.event(row);
        }
    }

    @FunctionalInterface
    private interface Read<T> {
        T from(Connection connection) throws SQLException;
    }

    private <T> T inSnapshot(Read<T> read) {
        try (Connection connection = readers.getConnection()) {
            connection.setAutoCommit(false);
            try {
                return read.from(connection);
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw new ProblemException(Problem.LEDGER_UNAVAILABLE, "the ledger's mutations can't be read");
        }
    }
}
