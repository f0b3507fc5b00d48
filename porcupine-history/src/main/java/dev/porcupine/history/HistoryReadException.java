package dev.porcupine.history;

/** A read got no complete answer. The message is safe for clients. */
public final class HistoryReadException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final Kind kind;

    public HistoryReadException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    public enum Kind {
        UNAVAILABLE,
        LIMIT
    }
}
