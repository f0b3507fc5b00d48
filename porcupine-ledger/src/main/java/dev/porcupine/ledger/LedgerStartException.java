package dev.porcupine.ledger;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The ledger can't be opened. The message says what was found; {@link #action} what an operator can do. */
public final class LedgerStartException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String action;

    public LedgerStartException(String message, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    public String action() {
        return action;
    }

    static LedgerStartException unusable(Path path, Throwable cause) {
        return new LedgerStartException(
                "The data directory " + path + " can't be used: " + cause,
                "Check that the directory (porcupine.data-dir) exists or can be created, that this user may write there,"
                        + " and that its disk has space.",
                cause);
    }

    static LedgerStartException damaged(Path file, String what, @Nullable Throwable cause) {
        return new LedgerStartException(
                "The ledger " + file + " is damaged: " + what,
                "Do not delete it: it decides which events are duplicates. Keep a copy of " + file
                        + " and of its -wal file, check the disk, and restore the newest backup of the data directory.",
                cause);
    }
}
