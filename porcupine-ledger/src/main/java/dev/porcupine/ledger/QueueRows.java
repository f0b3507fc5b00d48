package dev.porcupine.ledger;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * The statements by which events leave the queue. Set-based: a settlement of 256 takes the writer three statements, fed by one JSON
 * parameter each.
 */
final class QueueRows {

    private static final String STILL_QUEUED = """
        select seq, project_id, uuid, revision, bytes
        from event_queue
        where seq in (select value from json_each(?))
        """;

    /** An original makes a receipt, unless a head makes that one redundant (P36); a mutation's revision makes none. */
    private static final String INSERT_RECEIPTS = """
        insert into event_receipts (project_id, uuid, received_at, settled_seq, content_tag, provenance)
        select q.project_id, q.uuid, q.received_at, ?2 + j.key, j.value ->> 1, ?3
        from json_each(?1) as j
            join event_queue as q on q.seq = j.value ->> 0
        where q.revision = 1
            and (?4 = 0 or not exists (
                select 1 from mutation_heads as h where h.project_id = q.project_id and h.uuid = q.uuid))
        on conflict (project_id, uuid) do nothing
        """;

    private static final String INSERT_QUARANTINE = """
        insert into event_quarantine (
            project_id, uuid, revision, is_deleted, name, distinct_id, timestamp_us, received_at, bytes, quarantined_at, reason,
            properties
        )
        select project_id, uuid, revision, is_deleted, name, distinct_id, timestamp_us, received_at, bytes, ?2, ?3, properties
        from event_queue
        where seq in (select value from json_each(?1))
        order by seq
        """;

    private static final String DELETE = """
        delete from event_queue
        where seq in (select value from json_each(?))
        """;

    private QueueRows() {}

    /**
     * @param omitting whether originals that have a head get none
     * @return how many receipts are new
     */
    static int insertReceipts(
            WriteTransaction transaction,
            Leaving leaving,
            long firstSettledSeq,
            byte @Nullable [] provenance,
            boolean omitting)
            throws SQLException {
        PreparedStatement insert = transaction.statement(INSERT_RECEIPTS);
        insert.setString(1, leaving.seqsAndTags());
        insert.setLong(2, firstSettledSeq);
        insert.setBytes(3, provenance);
        insert.setInt(4, omitting ? 1 : 0);
        transaction.rowStep();
        return insert.executeUpdate();
    }

    static int insertQuarantine(WriteTransaction transaction, Leaving leaving, long nowMillis, String reason)
            throws SQLException {
        PreparedStatement insert = transaction.statement(INSERT_QUARANTINE);
        insert.setString(1, leaving.seqs());
        insert.setLong(2, nowMillis);
        insert.setString(3, reason);
        transaction.rowStep();
        return insert.executeUpdate();
    }

    static void delete(WriteTransaction transaction, Leaving leaving) throws SQLException {
        PreparedStatement delete = transaction.statement(DELETE);
        delete.setString(1, leaving.seqs());
        transaction.rowStep();
        int deleted = delete.executeUpdate();
        if (deleted != leaving.rows().size()) {
            throw new IllegalStateException(
                    deleted + " rows left the queue, " + leaving.rows().size() + " were found in it");
        }
    }

    /** Which of the events are in the queue under that very seq. */
    static Leaving stillQueued(WriteTransaction transaction, Claims claims) throws SQLException {
        PreparedStatement select = transaction.statement(STILL_QUEUED);
        select.setString(1, claims.seqs());
        List<Row> found = new ArrayList<>(claims.bySeq().size());
        try (ResultSet row = select.executeQuery()) {
            while (row.next()) {
                Claim claim = claims.bySeq().get(row.getLong(1));
                if (claim != null && claim.names(row)) {
                    found.add(new Row(
                            row.getLong(1),
                            claim.event().identity(),
                            row.getLong(4),
                            claim.contentTag(),
                            row.getLong(5)));
                }
            }
        }
        return new Leaving(found);
    }

    /** What a caller says about one queued event. */
    record Claim(Event event, int contentTag) {

        /** A seq is never used twice, so this can only fail for rows of another ledger; then nothing may happen to this one. */
        boolean names(ResultSet row) throws SQLException {
            return event.identity().project().value() == row.getLong(2)
                    && event.identity().uuid().equals(EventUuid.ofBytes(row.getBytes(3)))
                    && event.revision() == row.getLong(4);
        }
    }

    /** Prepared on the caller's thread. */
    record Claims(Map<Long, Claim> bySeq, String seqs) {

        static Claims of(List<QueuedEvent> events) {
            Map<Long, Claim> bySeq = HashMap.newHashMap(events.size());
            StringJoiner seqs = new StringJoiner(",", "[", "]");
            for (QueuedEvent queued : events) {
                bySeq.put(queued.seq(), new Claim(queued.event(), ContentTag.of(queued.event())));
                seqs.add(Long.toString(queued.seq()));
            }
            return new Claims(bySeq, seqs.toString());
        }
    }

    record Row(long seq, EventIdentity identity, long revision, int contentTag, long bytes) {}

    /** Rows that are in the queue and on their way out of it. */
    record Leaving(List<Row> rows) {

        long bytes() {
            return rows.stream().mapToLong(Row::bytes).sum();
        }

        List<Row> mutations() {
            return rows.stream()
                    .filter(row -> row.revision() > Event.ORIGINAL_REVISION)
                    .toList();
        }

        String seqs() {
            StringJoiner json = new StringJoiner(",", "[", "]");
            rows.forEach(row -> json.add(Long.toString(row.seq())));
            return json.toString();
        }

        String seqsAndTags() {
            StringJoiner json = new StringJoiner(",", "[", "]");
            rows.forEach(row -> json.add("[" + row.seq() + "," + row.contentTag() + "]"));
            return json.toString();
        }
    }
}
