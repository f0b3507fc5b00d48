package dev.porcupine.ledger;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/**
 * The SQLite file of a data directory and how it is opened.
 *
 * <p>Java must never open {@code ledger.db} or its {@code -shm} while SQLite has them open: closing such a descriptor would drop
 * SQLite's POSIX locks. The {@code -wal} carries no locks.
 */
final class LedgerFile {

    static final String FILE_NAME = "ledger.db";

    /** "Porc": tells a ledger from any other SQLite file that lies in its place. */
    static final int APPLICATION_ID = 0x506F7263;

    /** What a data directory holds beside its ledger once the service has run. */
    private static final List<String> TRACES = List.of("admin-token", FILE_NAME + "-wal");

    private static final byte[] SQLITE_MAGIC = "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII);
    private static final int APPLICATION_ID_OFFSET = 68;
    private static final int HEADER_BYTES = 100;
    private static final int BUSY_TIMEOUT_MILLIS = 5_000;

    /** Holds the inner pages of a ten-million-receipt index. Native memory, not heap. */
    private static final int WRITER_CACHE_KIBIBYTES = 64 << 10;

    /** One delivery worker, a few operators, and a spare. */
    private static final int READERS_MAX = 4;

    private final Path directory;
    private final Path path;

    LedgerFile(Path directory) {
        this.directory = directory;
        this.path = directory.resolve(FILE_NAME);
    }

    Path path() {
        return path;
    }

    Path wal() {
        return directory.resolve(FILE_NAME + "-wal");
    }

    /** Only its owner may read a directory made here: it holds what people's browsers sent. */
    static void createDirectory(Path directory) {
        try {
            if (Files.isDirectory(directory)) {
                return;
            }
            if (directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
                Files.createDirectories(
                        directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            } else {
                Files.createDirectories(directory);
            }
        } catch (IOException e) {
            throw LedgerStartException.unusable(directory, e);
        }
    }

    /** Creates the file if there is none; refuses one that isn't a ledger. Before any connection is open. */
    void createOrRecognise() {
        try {
            if (!Files.exists(path)) {
                refuseWhereALedgerWas();
                create();
                return;
            }
            if (Files.size(path) == 0) {
                throw lost("is empty");
            }
            byte[] header = new byte[HEADER_BYTES];
            int length;
            try (var in = Files.newInputStream(path)) {
                length = in.readNBytes(header, 0, HEADER_BYTES);
            }
            if (length < HEADER_BYTES
                    || !Arrays.equals(header, 0, SQLITE_MAGIC.length, SQLITE_MAGIC, 0, SQLITE_MAGIC.length)) {
                throw LedgerStartException.damaged(path, "it does not begin like a SQLite file.", null);
            }
            int applicationId = ByteBuffer.wrap(header).getInt(APPLICATION_ID_OFFSET);
            if (applicationId != APPLICATION_ID) {
                throw new LedgerStartException(
                        "The file " + path + " is a SQLite file but not Porcupine's ledger: its application_id is "
                                + applicationId + ", wanted " + APPLICATION_ID + ".",
                        "Point porcupine.data-dir at Porcupine's own directory, or move the foreign file away.",
                        null);
            }
        } catch (IOException | SQLException e) {
            throw LedgerStartException.unusable(path, e);
        }
    }

    /** A new ledger would take every event of the lost one as new again, and give its project numbers to others. */
    private void refuseWhereALedgerWas() {
        for (String trace : TRACES) {
            if (Files.exists(directory.resolve(trace))) {
                throw lost("is missing beside " + trace);
            }
        }
    }

    private LedgerStartException lost(String how) {
        return new LedgerStartException(
                "The ledger " + path + " " + how + ", so what it knew is lost from here.",
                "Put the ledger back. Only where nothing was ever accepted, or all of it may be accepted again, begin anew in an"
                        + " empty directory.",
                null);
    }

    /**
     * Makes what the last process wrote last. A process that was killed between writing a commit and its fsync leaves a transaction
     * that every connection now sees and no disk may hold; without this, a resend would be answered as a duplicate of an event that a
     * power cut can still take away.
     */
    void syncWal() throws IOException {
        if (Files.exists(wal())) {
            try (FileChannel channel = FileChannel.open(wal(), StandardOpenOption.WRITE)) {
                channel.force(true);
            }
        }
    }

    /** Without it a power cut may forget that the files exist. */
    void syncDirectory() throws IOException {
        if (directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    /** A connection that may write. In use it belongs to the writer's thread alone. */
    Connection openForWriting() throws SQLException {
        Connection connection = writingDataSource().getConnection();
        try (Statement statement = connection.createStatement()) {
            require(statement, "pragma journal_mode", "wal");
            // 2 is FULL: the commit returns after the fsync
            require(statement, "pragma synchronous", "2");
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    SQLiteDataSource writingDataSource() {
        SQLiteConfig config = common();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.setTransactionMode(SQLiteConfig.TransactionMode.IMMEDIATE);
        config.setCacheSize(-WRITER_CACHE_KIBIBYTES);
        // a savepoint's undo pages; in a temporary file they cost more than half of the throughput
        config.setTempStore(SQLiteConfig.TempStore.MEMORY);
        return dataSource(config);
    }

    HikariDataSource openReaders() {
        SQLiteConfig config = common();
        config.setReadOnly(true);
        HikariConfig pool = new HikariConfig();
        pool.setPoolName("ledger-readers");
        pool.setDataSource(dataSource(config));
        pool.setReadOnly(true);
        pool.setMaximumPoolSize(READERS_MAX);
        pool.setMinimumIdle(1);
        pool.setConnectionTimeout(BUSY_TIMEOUT_MILLIS);
        return new HikariDataSource(pool);
    }

    private static SQLiteConfig common() {
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout(BUSY_TIMEOUT_MILLIS);
        config.enforceForeignKeys(true);
        return config;
    }

    private SQLiteDataSource dataSource(SQLiteConfig config) {
        SQLiteDataSource dataSource = new SQLiteDataSource(config);
        dataSource.setUrl("jdbc:sqlite:" + path);
        return dataSource;
    }

    private void create() throws SQLException {
        // before the file becomes WAL, so that the identity stands in the file itself
        try (Connection connection = dataSource(common()).getConnection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("pragma application_id = " + APPLICATION_ID);
        }
    }

    private static void require(Statement statement, String pragma, String wanted) throws SQLException {
        try (ResultSet row = statement.executeQuery(pragma)) {
            String found = row.next() ? row.getString(1) : "nothing";
            if (!wanted.equalsIgnoreCase(found)) {
                throw new SQLException(pragma + " must be " + wanted + ", the file system or driver gave " + found);
            }
        }
    }
}
