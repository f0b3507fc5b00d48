package dev.porcupine.history;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.LedgerLineage;
import dev.porcupine.schema.LedgerMark;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.schema.SourceIdentity;
import dev.porcupine.schema.Ticker;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
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
    private final EmbeddedErasure erasure = new EmbeddedErasure(this);
    private final LedgerRule ledgerRule;
    private final @Nullable LedgerLineage ledger;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Writer writer;
    private boolean closed;

    /**
     * @param ledger compared with the marks at each look; null where no ledger is
     */
    EmbeddedHistory(EmbeddedFile file, @Nullable LedgerLineage ledger) {
        this.file = file;
        this.ledger = ledger;
        this.ledgerRule = new LedgerRule(file.path().toString(), new StirringEpochs(Ticker.system()));
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
                UUID uuid = file.tableUuid(open.connection);
                List<KeptMark> marks = EmbeddedMarks.read(open.connection);
                open.connection.rollback(); // ends the read: an open one would keep the WAL from being reset
                return compared(new SourceIdentity(uuid, "embedded"), marks);
            });
        } catch (EmbeddedFile.NotAHistoryException e) {
            return refused(e.code(), file.path() + " is not a history of this version: " + e.getMessage());
        } catch (SQLException e) {
            return refused(FindingCode.SOURCE_UNREADABLE, file.path() + " can't be opened or read: " + e.getMessage());
        }
    }

    /**
     * Nothing can rest on this history, so another ledger in it is only worth a warning.
     *
     * @param marks read before the ledger is asked
     */
    private Verification compared(SourceIdentity identity, List<KeptMark> marks) {
        LedgerLineage own = ledger;
        if (own == null) {
            return new Verification.Verified(new VerifiedSource(identity));
        }
        LedgerRule.Judgement judgement;
        try {
            judgement = ledgerRule.judge(marks, own.ledger(), own.epoch(), own.acceptedByEpoch());
        } catch (ProblemException e) {
            return refused(FindingCode.LEDGER_UNREADABLE, e.detail());
        }
        if (!judgement.forked().isEmpty()) {
            return new Verification.Refused(judgement.forked());
        }
        return new Verification.Verified(new VerifiedSource(
                identity, identity.tableUuid().toString(), judgement.foreign(), MarksSeen.of(marks, own)));
    }

    @Override
    public MarkResult mark(VerifiedSource source, LedgerMark mark) {
        try {
            return withWriter(open -> {
                EmbeddedMarks.write(open.connection, mark);
                open.connection.commit();
                return new MarkResult.Acknowledged();
            });
        } catch (EmbeddedFile.NotAHistoryException | SQLException e) {
            return new MarkResult.Unknown(file.path() + " did not take the ledger's mark: " + e.getMessage());
        }
    }

    @Override
    public InsertResult insert(VerifiedSource source, List<Event> events) {
        if (events.isEmpty()) {
            return new InsertResult.Acknowledged();
        }
        try {
            transaction(source, connection -> upsert(connection, events));
            return new InsertResult.Acknowledged();
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
    public ProjectErasure erasure() {
        return erasure;
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

    /**
     * One transaction on the verified file, on disk when it returns.
     *
     * @throws SQLException where it may not have been, or was on another file
     */
    <T> T transaction(VerifiedSource source, Statements<T> statements)
            throws SQLException, EmbeddedFile.NotAHistoryException {
        return withWriter(open -> {
            Connection connection = open.connection;
            if (!file.tableUuid(connection).equals(source.tableUuid())) {
                throw new SQLException("it is no longer the verified history");
            }
            T result = statements.run(connection);
            connection.commit();
            if (!open.fileKey.equals(file.fileKey())) {
                throw new SQLException("it was deleted or replaced while it was open");
            }
            return result;
        });
    }

    @FunctionalInterface
    interface Statements<T> {
        T run(Connection connection) throws SQLException;
    }

    Path path() {
        return file.path();
    }

    private static int upsert(Connection connection, List<Event> events) throws SQLException {
        try (PreparedStatement upsert = connection.prepareStatement(UPSERT)) {
            for (Event event : events) {
                bind(upsert, event);
                upsert.executeUpdate();
            }
        }
        return events.size();
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
