package dev.porcupine.ledger;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.SourceIdentity;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Accepted events on their way to history, oldest first. One consumer. */
public final class EventQueue {

    /** Receipts of one transaction (P11): each settlement pays for its own evictions. */
    static final int SETTLE_ROWS_MAX = 256;

    /** Settlements that wait at the writer at once, so that it need not wait for this thread between them. */
    private static final int SETTLEMENTS_WAITING_MAX = 8;

    /** A reason is a server's message; some quote whole values. */
    private static final int REASON_CHARS_MAX = 2_000;

    private static final String OLDEST = """
        select %s, bytes
        from event_queue
        order by seq
        limit ?
        """.formatted(EventRows.COLUMNS);

    private final LedgerWriter writer;
    private final JdbcClient readers;
    private final InstantSource clock;
    private final SourcePin pin;
    private final Eviction eviction;

    EventQueue(LedgerWriter writer, JdbcClient readers, InstantSource clock, SourcePin pin, Eviction eviction) {
        this.writer = writer;
        this.readers = readers;
        this.clock = clock;
        this.pin = pin;
        this.eviction = eviction;
    }

    /**
     * The oldest events, within both bounds; at least one when the queue has any, whatever its size.
     *
     * @throws ProblemException {@code LEDGER_UNAVAILABLE} when the ledger can't be read
     */
    public List<QueuedEvent> oldest(int rowsMax, long bytesMax) {
        if (rowsMax < 1) {
            throw new IllegalArgumentException("at least one row, got " + rowsMax);
        }
        try {
            return readers.sql(OLDEST).param(rowsMax).query((ResultSet rows) -> within(rows, bytesMax));
        } catch (DataAccessException e) {
            throw new ProblemException(Problem.LEDGER_UNAVAILABLE, "the ledger's queue can't be read");
        }
    }

    /**
     * Turns acknowledged events into receipts: in transactions of at most 256, each removing the payloads and adding the receipts (P9, P10).
     * Each pays for its own evictions. Where receipts have a limit, an original that a mutation head knows gets none. Call only after a synchronous acknowledgement by history. Settling an event again is harmless.
     *
     * @param source who acknowledged; it becomes the receipts' provenance where receipts have one
     * @throws ProblemException when the ledger can't write; some of the events may be settled then, and all may be settled again
     */
    public void settle(List<QueuedEvent> acknowledged, SourceIdentity source) {
        inTransactions(acknowledged, (transaction, claims) -> {
            QueueRows.Leaving leaving = QueueRows.stillQueued(transaction, claims);
            int rows = leaving.rows().size();
            if (rows == 0) {
                return;
            }
            LedgerState state = transaction.state();
            byte[] provenance = pin.provenance(transaction, source);
            // Only with a limit: without one every receipt stays, and an older release may still write (P36).
            boolean omitting =
                    eviction.finite() && state.heads() > 0 && MutationRows.originalsWithHeads(transaction, leaving) > 0;
            int receipts = QueueRows.insertReceipts(transaction, leaving, state.nextSettledSeq(), provenance, omitting);
            List<QueueRows.Row> mutations = leaving.mutations();
            if (!mutations.isEmpty()) {
                MutationRows.settleHeads(transaction, mutations);
            }
            QueueRows.delete(transaction, leaving);
            LedgerState settled =
                    state.withQueue(-rows, -leaving.bytes()).withReceipts(receipts, provenance != null, rows);
            transaction.state(omitting ? settled.withOmitted() : settled);
            eviction.evict(transaction, provenance);
        });
    }

    /**
     * Moves events that history refuses for their own sake out of the queue, keeping payload and identity (P13, P55). Doing so again is
     * harmless.
     *
     * @throws ProblemException when the ledger can't write; some of the events may be moved then
     */
    public void quarantine(List<QueuedEvent> refused, String reason) {
        String kept = reason.length() <= REASON_CHARS_MAX ? reason : reason.substring(0, REASON_CHARS_MAX);
        long now = clock.millis();
        inTransactions(refused, (transaction, claims) -> {
            QueueRows.Leaving leaving = QueueRows.stillQueued(transaction, claims);
            int rows = leaving.rows().size();
            if (rows == 0) {
                return;
            }
            QueueRows.insertQuarantine(transaction, leaving, now, kept);
            QueueRows.delete(transaction, leaving);
            transaction.state(
                    transaction.state().withQueue(-rows, -leaving.bytes()).withQuarantined(rows));
        });
    }

    private static List<QueuedEvent> within(ResultSet rows, long bytesMax) throws SQLException {
        List<QueuedEvent> oldest = new ArrayList<>();
        long bytes = 0;
        while (rows.next()) {
            long rowBytes = rows.getLong(11);
            if (!oldest.isEmpty() && bytes + rowBytes > bytesMax) {
                break;
            }
            bytes += rowBytes;
            oldest.add(new QueuedEvent(EventRows.seq(rows), EventRows.event(rows), rowBytes));
        }
        return oldest;
    }

    @FunctionalInterface
    private interface ChunkWork {
        void run(WriteTransaction transaction, QueueRows.Claims chunk) throws SQLException;
    }

    private void inTransactions(List<QueuedEvent> events, ChunkWork work) {
        Deque<WriteTask<Boolean>> waiting = new ArrayDeque<>();
        ProblemException first = null;
        for (int from = 0; from < events.size() && first == null; from += SETTLE_ROWS_MAX) {
            List<QueuedEvent> chunk = events.subList(from, Math.min(events.size(), from + SETTLE_ROWS_MAX));
            QueueRows.Claims claims = QueueRows.Claims.of(chunk);
            waiting.add(writer.soloLater(chunk.size(), transaction -> {
                work.run(transaction, claims);
                return true;
            }));
            if (waiting.size() >= SETTLEMENTS_WAITING_MAX) {
                first = failureOf(waiting.remove());
            }
        }
        while (!waiting.isEmpty()) {
            ProblemException failure = failureOf(waiting.remove());
            first = first == null ? failure : first;
        }
        if (first != null) {
            throw first;
        }
    }

    private @Nullable ProblemException failureOf(WriteTask<Boolean> task) {
        return switch (writer.await(task)) {
            case WriteOutcome.Committed<Boolean> committed -> null;
            case WriteOutcome.Refused<Boolean> refused -> new ProblemException(refused.problem(), refused.detail());
        };
    }
}
