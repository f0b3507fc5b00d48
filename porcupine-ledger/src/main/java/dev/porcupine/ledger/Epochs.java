package dev.porcupine.ledger;

import dev.porcupine.schema.LedgerLineage;
import dev.porcupine.schema.LedgerMark;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Who this ledger is and which processes ran on its file, this one included. A process is entered, on disk, before it can accept
 * anything: so what history says of a process that isn't entered happened on another copy of the file.
 */
final class Epochs implements LedgerLineage {

    private static final String SELECT_LEDGER = "select ledger_id from ledger_identity where id = 1";

    /**
     * The highest seq ever given. Autoincrement keeps it in sqlite_sequence when the queue is empty; the queue itself is asked as
     * well, so that a row of that table which was lost by hand can't make the ledger look stale while it isn't.
     */
    private static final String SELECT_LAST_SEQ = """
            select max(
                coalesce((select seq from sqlite_sequence where name = 'event_queue'), 0),
                coalesce((select max(seq) from event_queue), 0))
            """;

    private static final String SELECT_EPOCHS = "select epoch, opened_seq from ledger_epochs order by number";

    private static final String INSERT_EPOCH =
            "insert into ledger_epochs (epoch, opened_seq, opened_at) values (?, ?, ?)";

    private final UUID ledger;
    private final UUID epoch;
    private final Map<UUID, Long> earlier;
    private final JdbcClient readers;

    private Epochs(UUID ledger, UUID epoch, Map<UUID, Long> earlier, JdbcClient readers) {
        this.ledger = ledger;
        this.epoch = epoch;
        this.earlier = earlier;
        this.readers = readers;
    }

    /** Enters this process. Commits, so it returns when that is on disk. Before anybody can write to the ledger. */
    static Epochs enter(LedgerFile file, InstantSource clock, JdbcClient readers) throws SQLException {
        try (Connection connection = file.openForWriting()) {
            long lastSeq = lastSeq(connection);
            Map<UUID, Long> earlier = earlier(connection, lastSeq);
            UUID epoch = UUID.randomUUID();
            try (PreparedStatement insert = connection.prepareStatement(INSERT_EPOCH)) {
                insert.setBytes(1, bytes(epoch));
                insert.setLong(2, lastSeq);
                insert.setLong(3, clock.millis());
                insert.executeUpdate();
            }
            return new Epochs(ledger(connection), epoch, earlier, readers);
        }
    }

    @Override
    public UUID ledger() {
        return ledger;
    }

    @Override
    public UUID epoch() {
        return epoch;
    }

    @Override
    public Map<UUID, Long> acceptedByEpoch() {
        Map<UUID, Long> accepted = new HashMap<>(earlier);
        accepted.put(epoch, lastSeq());
        return accepted;
    }

    /** A mark that no crash can put ahead of the file: what a reader sees is on disk. */
    LedgerMark mark() {
        return new LedgerMark(ledger, epoch, lastSeq());
    }

    private long lastSeq() {
        try {
            return readers.sql(SELECT_LAST_SEQ).query(Long.class).single();
        } catch (DataAccessException e) {
            throw new ProblemException(Problem.LEDGER_UNAVAILABLE, "how far the ledger has come can't be read");
        }
    }

    private static long lastSeq(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(SELECT_LAST_SEQ);
                ResultSet row = select.executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    private static UUID ledger(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(SELECT_LEDGER);
                ResultSet row = select.executeQuery()) {
            if (!row.next()) {
                throw new SQLException("table ledger_identity has lost its row");
            }
            return uuid(row.getBytes(1));
        }
    }

    /**
     * @param lastSeq where the newest of them ended
     */
    private static Map<UUID, Long> earlier(Connection connection, long lastSeq) throws SQLException {
        Map<UUID, Long> ends = new HashMap<>();
        try (PreparedStatement select = connection.prepareStatement(SELECT_EPOCHS);
                ResultSet row = select.executeQuery()) {
            UUID before = null;
            while (row.next()) {
                if (before != null) {
                    ends.put(before, row.getLong(2));
                }
                before = uuid(row.getBytes(1));
            }
            if (before != null) {
                ends.put(before, lastSeq);
            }
        }
        return ends;
    }

    private static UUID uuid(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new UUID(buffer.getLong(), buffer.getLong());
    }

    private static byte[] bytes(UUID uuid) {
        return ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
    }
}
