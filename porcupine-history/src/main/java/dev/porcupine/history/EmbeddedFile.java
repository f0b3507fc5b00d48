package dev.porcupine.history;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConfig.JournalMode;
import org.sqlite.SQLiteConfig.SynchronousMode;
import org.sqlite.SQLiteConfig.TransactionMode;

/**
 * The file {@code history.db}: how it is opened, what is in it, and whether it is still the file that was opened. Its identity is a
 * random UUID written at creation, as ClickHouse gives one to a table.
 */
final class EmbeddedFile {

    static final String NAME = "history.db";

    /** "PorH": no other program's database is taken for a history. */
    private static final int APPLICATION_ID = 0x506F7248;

    private static final int VERSION = 1;
    private static final int BUSY_MILLIS = 5_000;

    /** Uncommitted pages and the index of a large history; in KiB, negative as SQLite wants it. */
    private static final int CACHE_KIB = -32 * 1024;

    private static final int WAL_BYTES_MAX = 64 * 1024 * 1024;

    private static final String CREATE_SOURCE = """
            create table source (
                id integer primary key check (id = 1),
                table_uuid text not null
            )
            """;

    /** Also in a file from before there were marks; whoever knows none of it may go on using the rest. */
    private static final String CREATE_MARKS = """
            create table if not exists ledger_marks (
                ledger_id text not null,
                epoch text not null,
                accepted_seq integer not null,
                first_at_millis integer not null,
                last_at_millis integer not null,
                primary key (ledger_id, epoch)
            )
            """;

    private static final String CREATE_EVENTS = """
            create table events (
                project_id integer not null,
                uuid blob not null,
                revision integer not null,
                is_deleted integer not null,
                event text not null,
                distinct_id text not null,
                timestamp_micros integer not null,
                received_at_millis integer not null,
                properties blob not null,
                primary key (project_id, uuid)
            )
            """;

    private static final String CREATE_PAGE_INDEX = """
            create index events_by_time on events (project_id, timestamp_micros, uuid)
            where is_deleted = 0
            """;

    private static final String SELECT_UUID = "select table_uuid from source where id = 1";

    /** SQLite's own maximum: the disk is the limit. */
    private static final int PAGES_UNLIMITED = 1_073_741_823;

    private final Path path;
    private final int pagesMax;

    EmbeddedFile(Path dataDir) {
        this(dataDir, PAGES_UNLIMITED);
    }

    /**
     * @param pagesMax at how many pages the file is full, as if the disk were
     */
    EmbeddedFile(Path dataDir, int pagesMax) {
        path = dataDir.resolve(NAME).toAbsolutePath();
        this.pagesMax = pagesMax;
    }

    Path path() {
        return path;
    }

    /**
     * Makes what the last process wrote last. One that was killed between writing a commit and its fsync leaves rows that every connection sees
     * and no disk may hold; writing them again changes nothing, so their acknowledgement would come without an fsync.
     */
    private void syncWal() throws SQLException {
        Path wal = path.resolveSibling(path.getFileName() + "-wal");
        if (!Files.exists(wal)) {
            return;
        }
        try (FileChannel channel = FileChannel.open(wal, StandardOpenOption.WRITE)) {
            channel.force(true);
        } catch (IOException e) {
            throw new SQLException("the embedded history's write-ahead log can't be synced", e);
        }
    }

    /** Opens the one connection that writes, creating the file if there is none. */
    Connection openWriter() throws SQLException, NotAHistoryException {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(JournalMode.WAL);
        config.setSynchronous(SynchronousMode.FULL);
        config.setBusyTimeout(BUSY_MILLIS);
        config.setTransactionMode(TransactionMode.IMMEDIATE);
        config.setCacheSize(CACHE_KIB);
        config.setJournalSizeLimit(WAL_BYTES_MAX);
        config.setMaxPageCount(pagesMax);
        syncWal();
        Connection connection = config.createConnection("jdbc:sqlite:" + path);
        try {
            connection.setAutoCommit(false);
            prepare(connection);
            connection.commit();
            return connection;
        } catch (SQLException | NotAHistoryException e) {
            connection.close();
            throw e;
        }
    }

    /** Opens a connection that can't write. */
    Connection openReader() throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        config.setBusyTimeout(BUSY_MILLIS);
        return config.createConnection("jdbc:sqlite:" + path);
    }

    /** The identity written at creation, read anew. */
    UUID tableUuid(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(SELECT_UUID)) {
            if (!rows.next()) {
                throw new SQLException("the history's file has lost its identity");
            }
            return UUID.fromString(rows.getString(1));
        }
    }

    /**
     * What the path leads to now. An open connection goes on writing into a file that was deleted or replaced, where nothing it writes
     * would be found again.
     *
     * @return null if nothing is there
     */
    @Nullable Object fileKey() {
        try {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            return Objects.requireNonNullElse(attributes.fileKey(), attributes.creationTime());
        } catch (IOException e) {
            return null;
        }
    }

    private static void prepare(Connection connection) throws SQLException, NotAHistoryException {
        int application = pragma(connection, "application_id");
        int version = pragma(connection, "user_version");
        if (application == 0 && version == 0 && empty(connection)) {
            create(connection);
            createMarks(connection);
            return;
        }
        if (application != APPLICATION_ID) {
            throw new NotAHistoryException(FindingCode.SOURCE_FOREIGN_FILE, "it holds a database of something else");
        }
        if (version != VERSION) {
            throw new NotAHistoryException(
                    FindingCode.SOURCE_NEWER_FILE,
                    "wanted version " + VERSION + ", found " + version + "; use the newer Porcupine");
        }
        createMarks(connection);
    }

    private static void createMarks(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(CREATE_MARKS);
        }
    }

    private static void create(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(CREATE_SOURCE);
            statement.execute(CREATE_EVENTS);
            statement.execute(CREATE_PAGE_INDEX);
            statement.execute("insert into source (id, table_uuid) values (1, '" + UUID.randomUUID() + "')");
            statement.execute("pragma application_id = " + APPLICATION_ID);
            statement.execute("pragma user_version = " + VERSION);
        }
    }

    private static boolean empty(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select count(*) from sqlite_master")) {
            return rows.next() && rows.getInt(1) == 0;
        }
    }

    private static int pragma(Connection connection, String name) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("pragma " + name)) {
            return rows.next() ? rows.getInt(1) : 0;
        }
    }

    /** The file is there and is a database, but not one that this program may write to. */
    static final class NotAHistoryException extends Exception {

        private static final long serialVersionUID = 1;

        private final FindingCode code;

        NotAHistoryException(FindingCode code, String message) {
            super(message);
            this.code = code;
        }

        FindingCode code() {
            return code;
        }
    }
}
