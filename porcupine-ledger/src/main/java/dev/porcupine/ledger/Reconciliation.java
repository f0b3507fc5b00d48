package dev.porcupine.ledger;

import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.schema.SourceIdentity;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Gives receipts that have no provenance one, where history holds their events (P30 to P32). Receipts from before the limit have no assumed
 * coverage: only an identity that the pinned history named is marked, in the transaction that moves the cursor and pays for its evictions.
 * A receipt that history does not name stays as it is, for ever if need be (P35).
 *
 * <p>The search goes through the receipts in key order, so across projects. It reads a bounded stretch at a time instead of using an index
 * of unproven receipts: building one would make the upgrade of a large ledger slow, and it would be empty in every other one.
 */
public final class Reconciliation {

    /** P31, and the most evictions that one transaction may pay for (P11). */
    public static final int PROVEN_MAX = 256;

    /** Receipts read in one search, proven ones included: some milliseconds. */
    static final int SCANNED_MAX = 20_000;

    private static final String NEXT = """
            select project_id, uuid, provenance is null
            from event_receipts
            where (project_id, uuid) > (?, ?)
            order by project_id, uuid
            limit ?
            """;

    private static final String CURSOR = "select project_id, uuid from reconcile_cursor where id = 1";

    private static final String MARK = """
            update event_receipts
            set provenance = ?1, settled_seq = coalesce(settled_seq, ?2)
            where project_id = ?3 and uuid = ?4 and provenance is null
            """;

    private static final String MOVE = """
            insert into reconcile_cursor (id, project_id, uuid)
            values (1, ?, ?)
            on conflict (id) do update set project_id = excluded.project_id, uuid = excluded.uuid
            """;

    private static final String REWIND = "delete from reconcile_cursor";

    private final DataSource readers;
    private final LedgerWriter writer;
    private final SourcePin pin;
    private final Eviction eviction;
    private final RemovalDirectory removals;

    Reconciliation(
            DataSource readers, LedgerWriter writer, SourcePin pin, Eviction eviction, RemovalDirectory removals) {
        this.readers = readers;
        this.writer = writer;
        this.pin = pin;
        this.eviction = eviction;
        this.removals = removals;
    }

    /**
     * The next unproven receipts from the cursor on.
     *
     * @throws ProblemException {@code LEDGER_UNAVAILABLE} when the ledger can't be read
     */
    public UnprovenReceipts next() {
        try (Connection connection = readers.getConnection()) {
            EventIdentity from = cursor(connection);
            try (PreparedStatement select = connection.prepareStatement(NEXT)) {
                select.setLong(1, from == null ? 0 : from.project().value());
                select.setBytes(2, from == null ? new byte[0] : from.uuid().toBytes());
                select.setInt(3, SCANNED_MAX);
                try (ResultSet row = select.executeQuery()) {
                    return search(row);
                }
            }
        } catch (SQLException e) {
            throw new ProblemException(Problem.LEDGER_UNAVAILABLE, "the ledger's receipts can't be read");
        }
    }

    /**
     * Marks those that history named and moves the cursor past all that were looked at, in one transaction with its evictions.
     *
     * @param found named by a complete probe of this source
     * @return how many are newly proven
     * @throws ProblemException when the ledger can't write, or another source is pinned: then nothing is marked
     */
    public int settle(UnprovenReceipts looked, Collection<EventIdentity> found, SourceIdentity source) {
        if (found.size() > PROVEN_MAX || !looked.identities().containsAll(found)) {
            throw new IllegalArgumentException("only receipts that were looked up can be proven");
        }
        WriteOutcome<Integer> outcome = writer.solo(Math.max(1, found.size()), transaction -> {
            byte[] provenance = pin.provenance(transaction, source);
            int marked = mark(transaction, found, provenance);
            move(transaction, looked.end());
            eviction.evict(transaction, provenance);
            return marked;
        });
        return switch (outcome) {
            case WriteOutcome.Committed<Integer> committed -> committed.value();
            case WriteOutcome.Refused<Integer> refused ->
                throw new ProblemException(refused.problem(), refused.detail());
        };
    }

    /**
     * Moves the cursor past receipts that history did not name. They stay unproven, and their turn comes again in the next round. No source
     * is pinned by that.
     *
     * @throws ProblemException when the ledger can't write
     */
    public void stepOver(UnprovenReceipts looked) {
        writer.solo(1, transaction -> {
                    move(transaction, looked.end());
                    return 0;
                })
                .orThrow();
    }

    private static int mark(WriteTransaction transaction, Collection<EventIdentity> found, byte @Nullable [] provenance)
            throws SQLException {
        if (provenance == null || found.isEmpty()) {
            return 0;
        }
        PreparedStatement mark = transaction.statement(MARK);
        transaction.rowStep();
        int marked = 0;
        for (EventIdentity identity : found) {
            mark.setBytes(1, provenance);
            // Older than everything that was settled since receipts have an order: these go first.
            mark.setLong(2, 0);
            mark.setLong(3, identity.project().value());
            mark.setBytes(4, identity.uuid().toBytes());
            marked += mark.executeUpdate();
        }
        transaction.state(transaction.state().withProven(marked));
        return marked;
    }

    private void move(WriteTransaction transaction, @Nullable EventIdentity end) throws SQLException {
        transaction.rowStep();
        if (end == null) {
            transaction.statement(REWIND).executeUpdate();
            return;
        }
        PreparedStatement move = transaction.statement(MOVE);
        move.setLong(1, end.project().value());
        move.setBytes(2, end.uuid().toBytes());
        move.executeUpdate();
        Removal removal = removals.find(end.project());
        if (removal != null && removal.done()) {
            // It went while the stretch was looked up.
            RemovalRows.moveCursorOut(transaction, end.project());
        }
    }

    private static UnprovenReceipts search(ResultSet row) throws SQLException {
        List<EventIdentity> unproven = new ArrayList<>();
        EventIdentity last = null;
        int scanned = 0;
        while (row.next()) {
            scanned++;
            last = identity(row);
            if (row.getBoolean(3)) {
                unproven.add(last);
                if (unproven.size() == PROVEN_MAX) {
                    return new UnprovenReceipts(unproven, last);
                }
            }
        }
        return new UnprovenReceipts(unproven, scanned < SCANNED_MAX ? null : last);
    }

    private static @Nullable EventIdentity cursor(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(CURSOR);
                ResultSet row = select.executeQuery()) {
            return row.next() ? identity(row) : null;
        }
    }

    private static EventIdentity identity(ResultSet row) throws SQLException {
        return new EventIdentity(new ProjectId(row.getLong(1)), EventUuid.ofBytes(row.getBytes(2)));
    }
}
