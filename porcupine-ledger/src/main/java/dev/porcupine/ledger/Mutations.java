package dev.porcupine.ledger;

import dev.porcupine.ledger.MutationRows.Head;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Newer revisions of accepted events (P54).
 *
 * <p>A mutation's final write puts its head and its queued revision into the ledger in one transaction, and only where the head is still
 * the one that the mutation was made from: so revisions of an event count up without gaps or forks, and the head names the newest. Heads
 * are never removed (P13). {@code docs/internals/mutation-protocol.md} has the argument.
 */
public final class Mutations {

    private final DataSource readers;
    private final LedgerWriter writer;
    private final LedgerSettings settings;
    private final ProjectDirectory directory;

    Mutations(DataSource readers, LedgerWriter writer, LedgerSettings settings, ProjectDirectory directory) {
        this.readers = readers;
        this.writer = writer;
        this.settings = settings;
        this.directory = directory;
    }

    /**
     * What the local record holds of an event, by one snapshot of all of its tables and of whether it is complete.
     *
     * @throws ProblemException {@code LEDGER_UNAVAILABLE} when the ledger can't be read
     */
    public LocalTrace trace(EventIdentity identity) {
        try (Connection connection = readers.getConnection()) {
            connection.setAutoCommit(false);
            try {
                return trace(connection, identity);
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw new ProblemException(Problem.LEDGER_UNAVAILABLE, "the ledger can't be read now");
        }
    }

    private static LocalTrace trace(Connection connection, EventIdentity identity) throws SQLException {
        Optional<Head> head = MutationRows.head(connection, identity);
        if (head.isPresent() && head.get().deleted()) {
            return new LocalTrace.Deleted(head.get().revision());
        }
        long newest = head.map(Head::revision).orElse(Event.ORIGINAL_REVISION);
        long headRevision = head.map(Head::revision).orElse(0L);
        Optional<Event> held = MutationRows.held(connection, identity, newest);
        if (held.isPresent()) {
            return new LocalTrace.Held(held.get(), headRevision);
        }
        Optional<Long> receivedAt =
                head.isPresent() ? head.map(Head::receivedAtMillis) : MutationRows.receipt(connection, identity);
        if (receivedAt.isPresent()) {
            return new LocalTrace.Delivered(newest, receivedAt.get(), headRevision);
        }
        return MutationRows.complete(connection) ? new LocalTrace.Absent() : new LocalTrace.Unknown();
    }

    /**
     * Stores the next revision of an event, and returns when it is on disk.
     *
     * @param revision one above the newest, with the original's time of receipt
     * @param made the trace that it was made from
     * @param waitMax how long to wait for the answer; the ledger has a bound of its own, and the shorter one holds
     * @return {@link MutateResult.Written} only after the fsync; otherwise nothing is stored, except where the wait ended before the answer
     *     ({@code LEDGER_UNAVAILABLE}): then it may be
     */
    public MutateResult mutate(Event revision, LocalTrace made, Duration waitMax) {
        if (revision.revision() <= Math.max(made.headRevision(), Event.ORIGINAL_REVISION)) {
            throw new IllegalArgumentException("a mutation counts up from " + made + ", got " + revision);
        }
        if (made instanceof LocalTrace.Deleted || made instanceof LocalTrace.Absent) {
            throw new IllegalArgumentException("there is nothing to mutate: " + made);
        }
        EncodedEvent encoded = EncodedEvent.of(revision);
        return switch (writer.capture(
                1, encoded.bytes(), waitMax, transaction -> write(transaction, encoded, made.headRevision()))) {
            case WriteOutcome.Committed<MutateResult> committed -> committed.value();
            case WriteOutcome.Refused<MutateResult> refused ->
                new MutateResult.Refused(refused.problem(), refused.detail());
        };
    }

    private MutateResult write(WriteTransaction transaction, EncodedEvent encoded, long headRevision)
            throws SQLException {
        EventIdentity identity = encoded.event().identity();
        if (!directory.takesWrites(identity.project())) {
            return new MutateResult.Refused(
                    Problem.PROJECT_NOT_FOUND, "project " + identity.project() + " was removed meanwhile");
        }
        long current =
                MutationRows.head(transaction, identity).map(Head::revision).orElse(0L);
        if (current != headRevision) {
            return new MutateResult.Moved();
        }
        LedgerState state = transaction.state();
        if (!QueueBudget.fits(settings, state, 1, encoded.bytes())) {
            return new MutateResult.Refused(
                    Problem.QUEUE_FULL, QueueBudget.explain(settings, state, 1, encoded.bytes()));
        }
        if (QueueBudget.quarantineFull(settings, state)) {
            return new MutateResult.Refused(Problem.QUEUE_FULL, QueueBudget.explainQuarantine(settings, state));
        }
        MutationRows.putHead(transaction, encoded.event());
        AcceptRows.insert(transaction, encoded);
        LedgerState queued = state.withQueue(1, encoded.bytes());
        transaction.state(current == 0 ? queued.withHead() : queued);
        return new MutateResult.Written();
    }
}
