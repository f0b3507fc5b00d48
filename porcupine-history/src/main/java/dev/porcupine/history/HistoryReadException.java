package dev.porcupine.history;

import org.jspecify.annotations.Nullable;

/** A read got no complete answer. The message is safe for clients. */
public final class HistoryReadException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final Kind kind;

    public HistoryReadException(Kind kind, String message) {
        this(kind, message, null);
    }

    public HistoryReadException(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    public enum Kind {
        /** The store is out of reach, broken or overloaded; the same read may succeed later. */
        UNAVAILABLE,
        /** The read is too large or too slow for its limits; a smaller one may succeed. */
        LIMIT
    }
}
