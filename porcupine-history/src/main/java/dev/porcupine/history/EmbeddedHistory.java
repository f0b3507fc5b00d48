package dev.porcupine.history;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.schema.SourceIdentity;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The history in a SQLite file of the data directory, durable to the same degree as the ledger: an acknowledgement means that the
 * batch was committed with {@code synchronous=FULL}.
 *
 * <p>One connection writes, under a lock; each read opens a read-only connection of its own. After any failure the writing
 * connection is thrown away and the next verification or insert opens a new one, so that no half-ended transaction is inherited.
 */
final class EmbeddedHistory implements History {

    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedHistory.class);

    /** How long an insert or a verification waits for another one. */
    private static final Duration WRITER_WAIT = Duration.ofSeconds(30);

    private static final String UPSERT = """
        insert into events (project_id, uuid, revision, is_deleted, event, distinct_id, timestamp_micros,
            received_at_millis, properties)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (project_id, uuid) do update set
            revision = excluded.revision,
            is_deleted = excluded.is_deleted,
            event = excluded.event,
            distinct_id = excluded.distinct_id,
            timestamp_micros = excluded.timestamp_micros,
            received_at_millis = excluded.received_at_millis,
            properties = excluded.properties
        where excluded.revision > revision
        """;

    private final EmbeddedFile file;
    private final EmbeddedReads reads;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Writer writer;
    private boolean closed;

    EmbeddedHistory(EmbeddedFile file) {
        this.file = file;
        reads = new EmbeddedReads(file);
    }

    @Override
    public String kind() {
        return "embedded";
    }

    @Override
    public Verification verify() {
        try {
            return withWriter(open -> {
                VerifiedSource source =
                        new VerifiedSource(new SourceIdentity(file.tableUuid(open.connection), "embedded"));
                open.connection.rollback(); // ends the read: an open one would keep the WAL from being reset
                return new Verification.Verified(source);
            });
        } catch (EmbeddedFile.NotAHistoryException e) {
            return refused(e.code(), file.path() + " is not a history of this version: " + e.getMessage());
        } catch (SQLException e) {
            return refused(FindingCode.SOURCE_UNREADABLE, file.path() + " can't be opened or read: " + e.getMessage());
        }
    }

    @Override
    public InsertResult insert(VerifiedSource source, List<Event> events) {
        if (events.isEmpty()) {
            return new InsertResult.Acknowledged();
        }
        try {
            return withWriter(open -> write(open, source, events));
        } catch (EmbeddedFile.NotAHistoryException | SQLException e) {
            return new InsertResult.Unknown(file.path() + " did not take the batch: " + e.getMessage());
        }
    }

    @Override
    public ProbeResult probe(
            VerifiedSource source, Set<EventIdentity> identities, Duration total, ProbePurpose purpose) {
        try {
            return new ProbeResult.Complete(reads.standing(identities));
        } catch (HistoryReadException e) {
            return new ProbeResult.Failed(ProbeFailure.OUTAGE, "the embedded history can't be read: " + e.getMessage());
        }
    }

    @Override
    public NewestResult newest(VerifiedSource source, EventIdentity identity, Duration total) {
        try {
            return reads.find(identity, total)
                    .<NewestResult>map(NewestResult.Found::new)
                    .orElseGet(NewestResult.Absent::new);
        } catch (HistoryReadException e) {
            return new NewestResult.Failed(
                    e.kind() == HistoryReadException.Kind.LIMIT ? ProbeFailure.DEADLINE : ProbeFailure.OUTAGE,
                    "the embedded history can't be read: " + e.getMessage());
        }
    }

    @Override
    public long count(ProjectId project, Set<EventUuid> without) {
        return reads.count(project, without);
    }

    @Override
    public Set<EventUuid> standing(ProjectId project, Set<EventUuid> uuids) {
        return reads.standing(project, uuids);
    }

    @Override
    public Optional<Event> find(EventIdentity identity) {
        return reads.find(identity);
    }

    @Override
    public List<Event> page(EventQuery query, Set<EventUuid> without) {
        return reads.page(query, without);
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            reads.close();
            discardWriter();
        } finally {
            lock.unlock();
        }
    }

    private InsertResult write(Writer open, VerifiedSource source, List<Event> events) throws SQLException {
        Connection connection = open.connection;
        if (!file.tableUuid(connection).equals(source.tableUuid())) {
            connection.rollback();
            return new InsertResult.Unknown(file.path() + " is no longer the verified history");
        }
        try (PreparedStatement upsert = connection.prepareStatement(UPSERT)) {
            for (Event event : events) {
                bind(upsert, event);
                upsert.executeUpdate();
            }
        }
        connection.commit();
        if (!open.fileKey.equals(file.fileKey())) {
            discardWriter();
            return new InsertResult.Unknown(file.path() + " was deleted or replaced while it was open");
        }
        return new InsertResult.Acknowledged();
    }

    private static void bind(PreparedStatement upsert, Event event) throws SQLException {
        upsert.setLong(1, event.identity().project().value());
        upsert.setBytes(2, event.identity().uuid().toBytes());
        upsert.setLong(3, event.revision());
        upsert.setInt(4, event.deleted() ? 1 : 0);
        upsert.setString(5, event.name());
        upsert.setString(6, event.distinctId());
        upsert.setLong(7, event.timestampMicros());
        upsert.setLong(8, event.receivedAtMillis());
        upsert.setBytes(9, event.properties());
    }

    private <T> T withWriter(Work<T> work) throws SQLException, EmbeddedFile.NotAHistoryException {
        boolean locked = false;
        try {
            locked = lock.tryLock(WRITER_WAIT.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!locked) {
            throw new SQLException("another write has not ended, or this one was interrupted");
        }
        try {
            if (closed) {
                throw new SQLException("the history was closed");
            }
            return work.with(writer());
        } catch (SQLException | EmbeddedFile.NotAHistoryException | RuntimeException e) {
            discardWriter();
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /** The open writer if its file is still in its place, else a new one. */
    private Writer writer() throws SQLException, EmbeddedFile.NotAHistoryException {
        Writer open = writer;
        if (open != null && open.fileKey.equals(file.fileKey())) {
            return open;
        }
        discardWriter();
        Connection connection = file.openWriter();
        Object fileKey = file.fileKey();
        if (fileKey == null) {
            connection.close();
            throw new SQLException("the file vanished while it was being opened");
        }
        open = new Writer(connection, fileKey);
        writer = open;
        return open;
    }

    /** Closing rolls an open transaction back. */
    private void discardWriter() {
        Writer open = writer;
        writer = null;
        if (open != null) {
            try {
                open.connection.close();
            } catch (SQLException e) {
                LOG.debug("Closing the history's file failed; it is opened anew", e);
            }
        }
    }

    private static Verification refused(FindingCode code, String detail) {
        return new Verification.Refused(List.of(code.finding(detail)));
    }

    @FunctionalInterface
    private interface Work<T> {
        T with(Writer open) throws SQLException;
    }

    /**
     * @param fileKey which file the connection was opened on
     */
    private record Writer(Connection connection, Object fileKey) {}
}
