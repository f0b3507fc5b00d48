package dev.porcupine.ledger;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Reads the columns that queue and quarantine share, in the order of {@link #COLUMNS}. */
final class EventRows {

    static final String COLUMNS =
            "seq, project_id, uuid, revision, is_deleted, name, distinct_id, timestamp_us, received_at, properties";

    private EventRows() {}

    static long seq(ResultSet row) throws SQLException {
        return row.getLong(1);
    }

    static Event event(ResultSet row) throws SQLException {
        return new Event(
                new EventIdentity(new ProjectId(row.getLong(2)), EventUuid.ofBytes(row.getBytes(3))),
                row.getLong(4),
                row.getInt(5) != 0,
                row.getString(6),
                row.getString(7),
                row.getLong(8),
                row.getLong(9),
                row.getBytes(10));
    }
}
