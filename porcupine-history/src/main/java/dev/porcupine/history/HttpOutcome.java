package dev.porcupine.history;

import java.nio.ByteBuffer;
import java.util.OptionalLong;

/** How one exchange with ClickHouse ended. Only {@link Complete} says anything about data. */
sealed interface HttpOutcome {

    /**
     * ClickHouse itself answered this very request, without an exception, and the answer arrived to its last byte.
     *
     * @param body the whole body
     * @param writtenRows rows written, materialized views included, if ClickHouse said so
     * @param resultRows rows of the answer, if ClickHouse said so
     */
    record Complete(ByteBuffer body, OptionalLong writtenRows, OptionalLong resultRows) implements HttpOutcome {}

    /**
     * ClickHouse answered with one of its exceptions.
     *
     * @param code ClickHouse's number of the error
     * @param message its text, shortened; may quote values of the rows
     * @param running whether the query had begun; false for a refusal of the request as such (login, settings, syntax)
     */
    record Refused(int code, String message, boolean running) implements HttpOutcome {

        /** The error's name, which ends ClickHouse's message and holds no payload. */
        String name() {
            int close = message.lastIndexOf(") (version ");
            String head = close < 0 ? message.strip() : message.substring(0, close + 1);
            int open = head.lastIndexOf('(');
            return open >= 0 && head.endsWith(")") ? head.substring(open + 1, head.length() - 1) : "unnamed";
        }
    }

    /** No understandable answer: whether the query ran, or still runs, is unknown. */
    record Broken(Reason reason, String detail) implements HttpOutcome {}

    enum Reason {
        /** No connection came about, so nothing ran. */
        UNREACHABLE,
        /** The total deadline passed. */
        DEADLINE,
        /** The connection ended before the answer did. */
        CUT,
        /** The answer went over the byte cap. */
        TOO_LARGE,
        /** Something answered, but not ClickHouse to this request. */
        NOT_CLICKHOUSE,
        /** The caller was interrupted or the history closed. */
        ABANDONED
    }
}
