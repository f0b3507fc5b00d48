package dev.porcupine.ledger;

import dev.porcupine.schema.Event;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The statements of acceptance. The hottest of the ledger: one lookup and one insert an event. */
final class AcceptRows {

    /** The protocol marker: this release knows that a receipt may have been evicted (P36). Older inserts leave it null. */
    static final int PROTOCOL_MARKER = 2;

    /**
     * Who knows an identity, in any revision. No row when nobody does: the four indexes are then all searched. The compound runs in
     * order and stops at the first row. A duplicate is compared with an original's texts only: a mutation may have changed them.
     */
    static final String LOOK_UP = """
        select 0, iif(revision = 1, name, null), distinct_id, null from event_queue where project_id = ?1 and uuid = ?2
        union all
        select 1, iif(revision = 1, name, null), distinct_id, null from event_quarantine where project_id = ?1 and uuid = ?2
        union all
        select 2, null, null, content_tag from event_receipts where project_id = ?1 and uuid = ?2
        union all
        select 3, null, null, null from mutation_heads where project_id = ?1 and uuid = ?2
        limit 1
        """;

    private static final String INSERT = """
        insert into event_queue (
            project_id, uuid, revision, is_deleted, name, distinct_id, timestamp_us, received_at, bytes, properties, protocol
        )
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """;

    private AcceptRows() {}

    /** Null when no local record knows the identity. */
    static @Nullable Verdict lookUp(WriteTransaction transaction, EncodedEvent encoded) throws SQLException {
        return lookUp(transaction.statement(LOOK_UP), encoded);
    }

    /** The same from any connection; {@code lookUp} is prepared from {@link #LOOK_UP}. */
    static @Nullable Verdict lookUp(PreparedStatement lookUp, EncodedEvent encoded) throws SQLException {
        Event event = encoded.event();
        lookUp.setLong(1, event.identity().project().value());
        lookUp.setBytes(2, encoded.uuid());
        try (ResultSet row = lookUp.executeQuery()) {
            if (!row.next()) {
                return null;
            }
            return switch (row.getInt(1)) {
                case 0 -> new Verdict(Verdict.Kind.KNOWN_IN_QUEUE, textsDiffer(row, event));
                case 1 -> new Verdict(Verdict.Kind.KNOWN_IN_QUARANTINE, textsDiffer(row, event));
                case 2 -> new Verdict(Verdict.Kind.KNOWN_BY_RECEIPT, tagDiffers(row, encoded));
                case 3 -> new Verdict(Verdict.Kind.KNOWN_BY_HEAD, false);
                default -> throw new IllegalStateException("the lookup names no table");
            };
        }
    }

    static void insert(WriteTransaction transaction, EncodedEvent encoded) throws SQLException {
        PreparedStatement insert = transaction.statement(INSERT);
        Event event = encoded.event();
        insert.setLong(1, event.identity().project().value());
        insert.setBytes(2, encoded.uuid());
        insert.setLong(3, event.revision());
        insert.setInt(4, event.deleted() ? 1 : 0);
        insert.setString(5, event.name());
        insert.setString(6, event.distinctId());
        insert.setLong(7, event.timestampMicros());
        insert.setLong(8, event.receivedAtMillis());
        insert.setLong(9, encoded.bytes());
        insert.setBytes(10, event.properties());
        insert.setInt(11, PROTOCOL_MARKER);
        transaction.rowStep();
        insert.executeUpdate();
    }

    private static boolean textsDiffer(ResultSet row, Event event) throws SQLException {
        String original = row.getString(2);
        return original != null
                && (!event.name().equals(original) || !event.distinctId().equals(row.getString(3)));
    }

    /** Receipts of the first release have no tag: then nothing is claimed. */
    private static boolean tagDiffers(ResultSet row, EncodedEvent encoded) throws SQLException {
        int tag = row.getInt(4);
        return !row.wasNull() && tag != encoded.contentTag();
    }
}
