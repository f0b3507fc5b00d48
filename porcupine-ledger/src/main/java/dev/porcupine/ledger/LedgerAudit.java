package dev.porcupine.ledger;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.ProgressHandler;
import org.sqlite.SQLiteErrorCode;

/**
 * The check of a ledger before it is used: are its pages sound, and do its counters say what its rows say? Cheap on a large file: each
 * part has a time budget, and a part that doesn't finish within it is not an error but is said to be unfinished.
 *
 * <p>A damaged page stops the start. A wrong counter does not: rows decide what is a duplicate, counters only steer budgets, so they
 * are set to what was counted. (A release older than the counters may have written to the file in between.)
 */
final class LedgerAudit {

    private static final Logger log = LoggerFactory.getLogger(LedgerAudit.class);

    /** Bounded by budgets or by what people do by hand. */
    private static final List<String> BOUNDED_TABLES = List.of(
            "ledger_state",
            "projects",
            "project_tokens",
            "event_queue",
            "event_quarantine",
            "mutation_heads",
            "project_removals");

    private static final String COUNT_BOUNDED = """
        select
            (select count(*) from event_queue), (select coalesce(sum(bytes), 0) from event_queue),
            (select count(*) from event_quarantine), (select count(*) from mutation_heads)
        """;

    /**
     * Heads that stand for a receipt: omitted, or evicted before the mutation. Heads from before column pending came with theirs. A removal
     * takes original and receipt before the head, and what it takes was neither omitted nor evicted: its project is fenced for good.
     */
    private static final String COUNT_RECEIPTS_REPLACED = """
        select count(h.revision)
        from mutation_heads as h
        where h.pending is not null
            and not exists (select 1 from event_receipts as r where r.project_id = h.project_id and r.uuid = h.uuid)
            and not exists (
                select 1 from event_queue as q
                where q.project_id = h.project_id and q.uuid = h.uuid and q.revision = 1)
            and not exists (
                select 1 from event_quarantine as q
                where q.project_id = h.project_id and q.uuid = h.uuid and q.revision = 1)
            and not exists (select 1 from project_removals as r where r.project_id = h.project_id)
        """;

    /** Looks at a column, because SQLite can't be interrupted inside a bare count(*). */
    private static final String COUNT_RECEIPTS = """
        select count(*), coalesce(sum(provenance is null), 0), coalesce(max(settled_seq), 0) from event_receipts
        """;

    /** A project's row goes in the transaction that ends its removal, and in no other. */
    private static final String REMOVALS_AT_ODDS = """
            select count(*)
            from project_removals as r
            where (r.stage = 'done') = exists (select 1 from projects as p where p.id = r.project_id)
            """;

    private static final int PROGRESS_EVERY_INSTRUCTIONS = 10_000;

    private final LedgerFile file;
    private final Connection connection;
    private final List<String> finished = new ArrayList<>();
    private final List<String> unfinished = new ArrayList<>();

    private LedgerAudit(LedgerFile file, Connection connection) {
        this.file = file;
        this.connection = connection;
    }

    /** @throws LedgerStartException when a page is damaged */
    static void run(LedgerFile file, LedgerTuning tuning) {
        try (Connection connection = file.openForWriting()) {
            LedgerAudit audit = new LedgerAudit(file, connection);
            audit.run(tuning.boundedTablesBudget(), tuning.receiptsBudget());
        } catch (SQLException e) {
            throw SqliteErrors.isDamage(e)
                    ? LedgerStartException.damaged(file.path(), String.valueOf(e.getMessage()), e)
                    : LedgerStartException.unusable(file.path(), e);
        }
    }

    private void run(Duration boundedBudget, Duration receiptsBudget) throws SQLException {
        long start = System.nanoTime();
        LedgerState stored = LedgerState.read(connection);
        LedgerState counted = stored;
        long deadline = start + boundedBudget.toNanos();
        for (String table : BOUNDED_TABLES) {
            checkPages(table, deadline);
        }
        checkRemovals(deadline);
        Optional<long[]> bounded = count("counters of queue, quarantine and heads", COUNT_BOUNDED, 4, deadline);
        if (bounded.isPresent()) {
            long[] n = bounded.get();
            counted = new LedgerState(
                    counted.receipts(),
                    counted.unprovenReceipts(),
                    counted.evictedReceipts(),
                    counted.complete(),
                    n[0],
                    n[1],
                    n[2],
                    n[3],
                    counted.nextSettledSeq());
        }
        if (counted.complete() && receiptsAreMissing(counted, deadline)) {
            counted = counted.withOmitted();
        }
        deadline = System.nanoTime() + receiptsBudget.toNanos();
        Optional<long[]> receipts = count("counters of receipts", COUNT_RECEIPTS, 3, deadline);
        if (receipts.isPresent()) {
            long[] n = receipts.get();
            counted = new LedgerState(
                    n[0],
                    n[1],
                    counted.evictedReceipts(),
                    counted.complete(),
                    counted.queueEvents(),
                    counted.queueBytes(),
                    counted.quarantined(),
                    counted.heads(),
                    Math.max(counted.nextSettledSeq(), n[2] + 1));
        }
        checkPages("event_receipts", deadline);
        if (!counted.equals(stored)) {
            log.warn(
                    "The ledger's counters did not match its rows and were set right: found {}, counted {}",
                    stored,
                    counted);
            try (PreparedStatement update = connection.prepareStatement(LedgerState.UPDATE)) {
                counted.write(update);
            }
        }
        log.info(
                "Checked the ledger {} in {} ms: sound are {}{}",
                file.path(),
                Duration.ofNanos(System.nanoTime() - start).toMillis(),
                String.join(", ", finished),
                unfinished.isEmpty() ? "" : "; not finished within the time budget: " + String.join(", ", unfinished));
    }

    private void checkRemovals(long deadline) throws SQLException {
        Optional<long[]> atOdds = count("removals", REMOVALS_AT_ODDS, 1, deadline);
        if (atOdds.isPresent() && atOdds.get()[0] > 0) {
            log.warn(
                    "{} projects are there although their removal ended, or are gone although it did not: the ledger was changed by"
                            + " hand. They stay fenced",
                    atOdds.get()[0]);
        }
    }

    /** Then an older release must not write (I4), whatever {@code complete} says. */
    private boolean receiptsAreMissing(LedgerState state, long deadline) throws SQLException {
        return state.evictedReceipts() > 0
                || (state.heads() > 0
                        && count("receipts that heads replace", COUNT_RECEIPTS_REPLACED, 1, deadline)
                                .filter(n -> n[0] > 0)
                                .isPresent());
    }

    private void checkPages(String table, long deadline) throws SQLException {
        List<String> findings = new ArrayList<>();
        boolean done = within(deadline, () -> {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("pragma quick_check('" + table + "')")) {
                while (row.next()) {
                    findings.add(row.getString(1));
                }
            }
        });
        findings.remove("ok");
        if (!findings.isEmpty()) {
            throw LedgerStartException.damaged(
                    file.path(), "quick_check of " + table + " says: " + findings.getFirst(), null);
        }
        (done ? finished : unfinished).add(table);
    }

    private Optional<long[]> count(String what, String sql, int columns, long deadline) throws SQLException {
        long[] counts = new long[columns];
        boolean done = within(deadline, () -> {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(sql)) {
                for (int i = 0; i < columns; i++) {
                    counts[i] = row.getLong(i + 1);
                }
            }
        });
        (done ? finished : unfinished).add(what);
        return done ? Optional.of(counts) : Optional.empty();
    }

    @FunctionalInterface
    private interface Query {
        void run() throws SQLException;
    }

    /** @return false when the deadline interrupted it */
    private boolean within(long deadline, Query query) throws SQLException {
        if (System.nanoTime() - deadline >= 0) {
            return false;
        }
        ProgressHandler.setHandler(connection, PROGRESS_EVERY_INSTRUCTIONS, new ProgressHandler() {
            @Override
            protected int progress() {
                return System.nanoTime() - deadline >= 0 ? 1 : 0;
            }
        });
        try {
            query.run();
            return true;
        } catch (SQLException e) {
            if (SqliteErrors.primaryCode(e) == SQLiteErrorCode.SQLITE_INTERRUPT) {
                return false;
            }
            throw e;
        } finally {
            ProgressHandler.clearHandler(connection);
        }
    }
}
