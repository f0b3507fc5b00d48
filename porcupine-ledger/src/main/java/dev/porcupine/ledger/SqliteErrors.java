package dev.porcupine.ledger;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** What an exception that SQLite caused says, however deep it lies. */
final class SqliteErrors {

    private SqliteErrors() {}

    /** The primary result code; {@link SQLiteErrorCode#UNKNOWN_ERROR} when SQLite isn't the cause. */
    static SQLiteErrorCode primaryCode(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLiteException sqlite) {
                return SQLiteErrorCode.getErrorCode(sqlite.getResultCode().code & 0xFF);
            }
        }
        return SQLiteErrorCode.UNKNOWN_ERROR;
    }

    static boolean isDamage(Throwable thrown) {
        SQLiteErrorCode code = primaryCode(thrown);
        return code == SQLiteErrorCode.SQLITE_CORRUPT || code == SQLiteErrorCode.SQLITE_NOTADB;
    }

    /** For clients: the kind of failure, without paths or statements. */
    static String clientDetail(@Nullable Throwable thrown) {
        SQLiteErrorCode code = thrown == null ? SQLiteErrorCode.UNKNOWN_ERROR : primaryCode(thrown);
        return switch (code) {
            case SQLITE_FULL -> "the ledger's disk is full";
            case SQLITE_IOERR -> "the ledger's disk reports an error";
            default -> "the ledger can't write";
        };
    }

    /** The first SQLException of a chain, which Spring wraps. */
    static Throwable root(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException) {
                return cause;
            }
        }
        return thrown;
    }
}
