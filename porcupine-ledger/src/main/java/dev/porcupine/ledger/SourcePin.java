package dev.porcupine.ledger;

import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.SourceIdentity;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The one history that this ledger trusts (P37). Written in the transaction of the first provenance, never moved: every provenance
 * names it (I7). Read from memory, which only commits change.
 */
public final class SourcePin {

    private static final String SELECT = "select table_uuid, fingerprint from source_pin where id = 1";

    private static final String INSERT =
            "insert into source_pin (id, table_uuid, fingerprint, pinned_at) values (1, ?, ?, ?)";

    private final InstantSource clock;
    private final boolean finite;
    private volatile @Nullable SourceIdentity pinned;

    /**
     * @param finite whether receipts get a provenance from now on, so that a first source is to be pinned
     */
    SourcePin(InstantSource clock, boolean finite) {
        this.clock = clock;
        this.finite = finite;
    }

    public Optional<SourceIdentity> pinned() {
        return Optional.ofNullable(pinned);
    }

    /** Whether this source may be written to and asked: it is the pinned one, or none is pinned yet. */
    public boolean trusts(SourceIdentity source) {
        SourceIdentity current = pinned;
        return current == null || current.equals(source);
    }

    /** The pinned source as provenances name it, or null. */
    byte @Nullable [] pinnedBytes() {
        SourceIdentity current = pinned;
        return current == null ? null : uuidBytes(current);
    }

    void reload(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(SELECT);
                ResultSet row = select.executeQuery()) {
            pinned = row.next()
                    ? new SourceIdentity(EventUuid.ofBytes(row.getBytes(1)).toUuid(), row.getString(2))
                    : null;
        }
    }

    /**
     * The provenance that an acknowledgement by this source gives, on the writer's thread: the pinned table's UUID, or null where
     * receipts need none yet.
     *
     * @throws ProblemException when another source is pinned: nothing may be settled on its word (P39)
     */
    byte @Nullable [] provenance(WriteTransaction transaction, SourceIdentity source) throws SQLException {
        SourceIdentity current = pinned;
        if (current == null) {
            return finite ? pin(transaction, source) : null;
        }
        if (!current.equals(source)) {
            throw new ProblemException(
                    Problem.SOURCE_CHANGED,
                    "the ledger trusts the table with UUID " + current.tableUuid() + ", the acknowledgement came from "
                            + source.tableUuid() + " or through another address, database or user");
        }
        return uuidBytes(current);
    }

    private byte[] pin(WriteTransaction transaction, SourceIdentity source) throws SQLException {
        PreparedStatement insert = transaction.statement(INSERT);
        insert.setBytes(1, uuidBytes(source));
        insert.setString(2, source.fingerprint());
        insert.setLong(3, clock.millis());
        transaction.rowStep();
        insert.executeUpdate();
        transaction.afterCommit(() -> pinned = source);
        return uuidBytes(source);
    }

    private static byte[] uuidBytes(SourceIdentity source) {
        return EventUuid.of(source.tableUuid()).toBytes();
    }
}
