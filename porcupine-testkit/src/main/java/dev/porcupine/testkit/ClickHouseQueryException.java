package dev.porcupine.testkit;

import org.jspecify.annotations.Nullable;

/** ClickHouse refused a test's query, or gave no answer. */
public final class ClickHouseQueryException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int code;

    ClickHouseQueryException(int code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /** The server's error code, 0 where there was no answer. */
    public int code() {
        return code;
    }
}
