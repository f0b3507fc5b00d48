package dev.porcupine.ledger;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.sqlite.SQLiteConnection;

/** The one connection that writes, with its held statements. Used by the writer's thread alone. */
final class WriterConnection implements AutoCloseable {

    /**
     * 8 MiB. SQLite copies the log inside the commit that passes it: more makes that commit's callers wait longer, less costs an fsync
     * of the main file more often.
     */
    private static final int AUTO_CHECKPOINT_PAGES = 2_000;

    private final Connection connection;
    private final WriteSteps steps;
    private final Map<String, PreparedStatement> held = new HashMap<>();
    private final JdbcClient jdbc;

    WriterConnection(Connection connection, WriteSteps steps) throws SQLException {
        this.connection = connection;
        this.steps = steps;
        this.jdbc = JdbcClient.create(new SingleConnectionDataSource(connection, true));
        pragma("pragma wal_autocheckpoint = " + AUTO_CHECKPOINT_PAGES);
        step(WriteStep.CONNECTED);
    }

    Connection raw() {
        return connection;
    }

    /** For what isn't on the hot path. */
    JdbcClient jdbc() {
        return jdbc;
    }

    /** Prepared once a connection; not to be closed by the caller. */
    PreparedStatement statement(String sql) throws SQLException {
        PreparedStatement statement = held.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            held.put(sql, statement);
        }
        return statement;
    }

    void step(WriteStep step) throws SQLException {
        steps.at(step, connection);
    }

    /** Takes SQLite's write lock at once: a deferred transaction that reads before it writes may fail with BUSY_SNAPSHOT. */
    void begin() throws SQLException {
        step(WriteStep.BEGIN);
        // The driver's commit() would begin the next transaction by itself, and so hold the write lock while idle.
        connection.setAutoCommit(false);
    }

    void savepoint() throws SQLException {
        step(WriteStep.SAVEPOINT);
        statement("savepoint task").execute();
    }

    void release() throws SQLException {
        step(WriteStep.RELEASE);
        statement("release task").execute();
    }

    /**
     * Undoes one task. It fails when SQLite has rolled the whole transaction back by itself (a full disk can make it), and then
     * nothing of the group may be committed.
     */
    void rollbackToSavepoint() throws SQLException {
        // a failing statement is finalised by the driver
        dropStatements();
        statement("rollback to task").execute();
        statement("release task").execute();
    }

    void commit() throws SQLException {
        step(WriteStep.COMMIT);
        connection.setAutoCommit(true);
        step(WriteStep.COMMITTED);
    }

    /**
     * Moves the whole write-ahead log into the main file and cuts it to nothing.
     *
     * @return false when a reader was in the way for longer than the wait
     */
    boolean truncateWal(Duration wait) throws SQLException {
        step(WriteStep.CHECKPOINT);
        SQLiteConnection sqlite = connection.unwrap(SQLiteConnection.class);
        int usual = sqlite.getBusyTimeout();
        sqlite.setBusyTimeout(Math.toIntExact(wait.toMillis()));
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("pragma wal_checkpoint(truncate)")) {
            return row.next() && row.getInt(1) == 0;
        } finally {
            sqlite.setBusyTimeout(usual);
        }
    }

    @Override
    public void close() throws SQLException {
        try {
            dropStatements();
        } finally {
            // an open transaction is rolled back by SQLite
            connection.close();
        }
    }

    private void dropStatements() throws SQLException {
        for (PreparedStatement statement : held.values()) {
            statement.close();
        }
        held.clear();
    }

    private void pragma(String sql) throws SQLException {
        // Some pragmas answer with a row; undrained, it makes the next COMMIT fail with SQLITE_BUSY.
        try (Statement statement = connection.createStatement()) {
            if (statement.execute(sql)) {
                statement.getResultSet().close();
            }
        }
    }
}
