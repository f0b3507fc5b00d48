package dev.porcupine.ledger;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The counters of table {@code ledger_state}, whose row changes in the same transactions as what it counts.
 *
 * @param complete until the first eviction or omitted receipt
 * @param nextSettledSeq what the next receipt gets; gaps are allowed
 */
record LedgerState(
        long receipts,
        long unprovenReceipts,
        long evictedReceipts,
        boolean complete,
        long queueEvents,
        long queueBytes,
        long quarantined,
        long heads,
        long nextSettledSeq) {

    private static final String SELECT = """
        select receipts, unproven_receipts, evicted_receipts, complete, queue_events, queue_bytes, quarantined, heads,
            next_settled_seq
        from ledger_state
        where id = 1
        """;

    static final String UPDATE = """
        update ledger_state
        set receipts = ?, unproven_receipts = ?, evicted_receipts = ?, complete = ?, queue_events = ?, queue_bytes = ?,
            quarantined = ?, heads = ?, next_settled_seq = ?
        where id = 1
        """;

    static LedgerState read(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(SELECT);
                ResultSet row = select.executeQuery()) {
            if (!row.next()) {
                throw new SQLException("table ledger_state has no row");
            }
            return new LedgerState(
                    row.getLong(1),
                    row.getLong(2),
                    row.getLong(3),
                    row.getBoolean(4),
                    row.getLong(5),
                    row.getLong(6),
                    row.getLong(7),
                    row.getLong(8),
                    row.getLong(9));
        }
    }

    /** @param update prepared from {@link #UPDATE} */
    void write(PreparedStatement update) throws SQLException {
        update.setLong(1, receipts);
        update.setLong(2, unprovenReceipts);
        update.setLong(3, evictedReceipts);
        update.setInt(4, complete ? 1 : 0);
        update.setLong(5, queueEvents);
        update.setLong(6, queueBytes);
        update.setLong(7, quarantined);
        update.setLong(8, heads);
        update.setLong(9, nextSettledSeq);
        int rows = update.executeUpdate();
        if (rows != 1) {
            throw new SQLException("table ledger_state has lost its row");
        }
    }

    LedgerState withQueue(long events, long bytes) {
        return new LedgerState(
                receipts,
                unprovenReceipts,
                evictedReceipts,
                complete,
                queueEvents + events,
                queueBytes + bytes,
                quarantined,
                heads,
                nextSettledSeq);
    }

    LedgerState withQuarantined(long events) {
        return new LedgerState(
                receipts,
                unprovenReceipts,
                evictedReceipts,
                complete,
                queueEvents,
                queueBytes,
                quarantined + events,
                heads,
                nextSettledSeq);
    }

    /**
     * New receipts of one settlement.
     *
     * @param proven whether they got a provenance
     */
    LedgerState withReceipts(long added, boolean proven, long settledSeqs) {
        return new LedgerState(
                receipts + added,
                unprovenReceipts + (proven ? 0 : added),
                evictedReceipts,
                complete,
                queueEvents,
                queueBytes,
                quarantined,
                heads,
                nextSettledSeq + settledSeqs);
    }

    /** Receipts forgotten because history remembers them; from the first one on the record is not complete any more (P36). */
    LedgerState withEvicted(long removed) {
        return new LedgerState(
                receipts - removed,
                unprovenReceipts,
                evictedReceipts + removed,
                false,
                queueEvents,
                queueBytes,
                quarantined,
                heads,
                nextSettledSeq);
    }

    /** The first mutation of an event. */
    LedgerState withHead() {
        return withHeads(1);
    }

    /** Heads that went with their project. */
    LedgerState withoutHeads(long removed) {
        return withHeads(-removed);
    }

    /**
     * Receipts that went with their project: none was evicted, and the record is as complete as before.
     *
     * @param unproven how many of them had no provenance
     */
    LedgerState withoutReceipts(long removed, long unproven) {
        return new LedgerState(
                receipts - removed,
                unprovenReceipts - unproven,
                evictedReceipts,
                complete,
                queueEvents,
                queueBytes,
                quarantined,
                heads,
                nextSettledSeq);
    }

    private LedgerState withHeads(long added) {
        return new LedgerState(
                receipts,
                unprovenReceipts,
                evictedReceipts,
                complete,
                queueEvents,
                queueBytes,
                quarantined,
                heads + added,
                nextSettledSeq);
    }

    /** Receipts may be missing from now on, because heads know their events; as an eviction does, it arms the trigger (P36). */
    LedgerState withOmitted() {
        return new LedgerState(
                receipts,
                unprovenReceipts,
                evictedReceipts,
                false,
                queueEvents,
                queueBytes,
                quarantined,
                heads,
                nextSettledSeq);
    }

    /** Receipts that got a provenance. */
    LedgerState withProven(long marked) {
        return new LedgerState(
                receipts,
                unprovenReceipts - marked,
                evictedReceipts,
                complete,
                queueEvents,
                queueBytes,
                quarantined,
                heads,
                nextSettledSeq);
    }
}
