package dev.porcupine.ledger;

import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Forgets receipts that history remembers, down to the limit (P10 to P12): oldest settled first, at most 256 in a transaction, only with
 * a provenance that names the pinned source, never under a live lease. The candidates are chosen inside the transaction that removes them, and the first removal
 * clears {@code complete}, which arms the trigger against older releases, in that same transaction.
 */
public final class Eviction {

    /** P11. */
    static final int RECEIPTS_MAX = 256;

    private static final String OLDEST_PROVEN = """
        select project_id, uuid
        from event_receipts
        where provenance is not null and provenance = ?
        order by settled_seq
        """;

    private static final String DELETE = "delete from event_receipts where project_id = ? and uuid = ?";

    private final LedgerWriter writer;
    private final Leases leases;
    private final SourcePin pin;
    private final long limit;

    /**
     * @param limit of receipts; 0 keeps them all
     */
    Eviction(LedgerWriter writer, Leases leases, SourcePin pin, long limit) {
        this.writer = writer;
        this.leases = leases;
        this.pin = pin;
        this.limit = limit;
    }

    /**
     * One transaction of its own, for a ledger that is over its limit while nothing is settled: the limit was lowered, or leases were in
     * the way.
     *
     * @return how many receipts it removed; 0 when none was to be, or may be, removed
     * @throws ProblemException when the ledger can't write
     */
    public int evict() {
        if (excess(writer.state()) == 0) {
            return 0;
        }
        return switch (writer.solo(RECEIPTS_MAX, transaction -> evict(transaction, pin.pinnedBytes()))) {
            case WriteOutcome.Committed<Integer> committed -> committed.value();
            case WriteOutcome.Refused<Integer> refused ->
                throw new ProblemException(refused.problem(), refused.detail());
        };
    }

    /**
     * The eviction that a transaction pays for; called once in it.
     *
     * @param provenance of the pinned source, which this very transaction may have pinned; null where none is: then nothing is evicted
     */
    int evict(WriteTransaction transaction, byte @Nullable [] provenance) throws SQLException {
        if (provenance == null) {
            return 0;
        }
        int wanted = (int) Math.min(excess(transaction.state()), RECEIPTS_MAX);
        if (wanted == 0) {
            return 0;
        }
        List<EventIdentity> victims = oldest(transaction, provenance, wanted);
        if (victims.isEmpty()) {
            return 0;
        }
        PreparedStatement delete = transaction.statement(DELETE);
        transaction.rowStep();
        for (EventIdentity victim : victims) {
            delete.setLong(1, victim.project().value());
            delete.setBytes(2, victim.uuid().toBytes());
            if (delete.executeUpdate() != 1) {
                throw new IllegalStateException("a receipt chosen for eviction was not there");
            }
        }
        transaction.state(transaction.state().withEvicted(victims.size()));
        return victims.size();
    }

    /** Whether receipts have a limit. */
    boolean finite() {
        return limit > 0;
    }

    private long excess(LedgerState state) {
        return limit == 0 ? 0 : Math.max(0, state.receipts() - limit);
    }

    /** Steps over leased ones; they are few, for leases are bounded and mostly on identities that have no receipt. */
    private List<EventIdentity> oldest(WriteTransaction transaction, byte[] provenance, int wanted)
            throws SQLException {
        List<EventIdentity> victims = new ArrayList<>(wanted);
        PreparedStatement select = transaction.statement(OLDEST_PROVEN);
        select.setBytes(1, provenance);
        try (ResultSet row = select.executeQuery()) {
            while (victims.size() < wanted && row.next()) {
                EventIdentity candidate =
                        new EventIdentity(new ProjectId(row.getLong(1)), EventUuid.ofBytes(row.getBytes(2)));
                if (!leases.leased(candidate)) {
                    victims.add(candidate);
                }
            }
        }
        return victims;
    }
}
