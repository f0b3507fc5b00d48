package dev.porcupine.query;

import dev.porcupine.history.EventQuery;
import dev.porcupine.history.EventQuery.Position;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the parameters of an event listing. A parameter that is unknown, repeated or not understood refuses the request: a filter that
 * was silently dropped would answer another question than was asked. An empty one counts as absent.
 */
final class QueryParameters {

    static final int LIMIT_DEFAULT = 100;
    static final int LIMIT_MAX = 1_000;

    /** The years 1 to 9999, all that ISO 8601 writes with four digits. */
    static final long MICROS_MIN = -62_135_596_800_000_000L;

    static final long MICROS_MAX = 253_402_300_799_999_999L;

    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final int NANOS_PER_MICRO = 1_000;
    private static final Set<String> KNOWN = Set.of("limit", "cursor", "event", "distinct_id", "from", "to");

    private final Map<String, String[]> parameters;

    private QueryParameters(Map<String, String[]> parameters) {
        this.parameters = parameters;
    }

    static EventQuery read(ProjectId project, Map<String, String[]> parameters) {
        return new QueryParameters(parameters).query(project);
    }

    private EventQuery query(ProjectId project) {
        for (String name : parameters.keySet()) {
            if (!KNOWN.contains(name)) {
                throw invalid("only limit, cursor, event, distinct_id, from and to are known here");
            }
        }
        Long from = micros("from");
        Long to = micros("to");
        if (from != null && to != null && from > to) {
            throw invalid("from must not be later than to");
        }
        return new EventQuery(project, one("event"), one("distinct_id"), from, to, position(), limit());
    }

    private int limit() {
        String text = one("limit");
        if (text == null) {
            return LIMIT_DEFAULT;
        }
        try {
            int limit = Integer.parseInt(text);
            if (limit >= 1 && limit <= LIMIT_MAX) {
                return limit;
            }
        } catch (NumberFormatException e) {
            // Said below, as for a number out of range.
        }
        throw invalid("limit must be a whole number from 1 to " + LIMIT_MAX);
    }

    private @Nullable Position position() {
        String text = one("cursor");
        if (text == null) {
            return null;
        }
        return Cursor.decode(text)
                .orElseThrow(() -> invalid("cursor must be the next of an earlier answer, unchanged"));
    }

    /** Microseconds of an instant; a fraction finer than that is rounded up, which keeps both ends of the range true. */
    private @Nullable Long micros(String name) {
        String text = one(name);
        if (text == null) {
            return null;
        }
        try {
            Instant instant = DateTimeFormatter.ISO_OFFSET_DATE_TIME.parse(text, Instant::from);
            int nanos = instant.getNano();
            long micros = Math.addExact(
                    Math.multiplyExact(instant.getEpochSecond(), MICROS_PER_SECOND),
                    Math.ceilDiv(nanos, NANOS_PER_MICRO));
            if (micros >= MICROS_MIN && micros <= MICROS_MAX) {
                return micros;
            }
        } catch (DateTimeException | ArithmeticException e) {
            // Said below, as for an instant out of range.
        }
        throw invalid(name + " must be an ISO 8601 instant of the years 1 to 9999 with a zone,"
                + " such as 2026-11-30T10:00:00.000Z (write a + as %2B)");
    }

    private @Nullable String one(String name) {
        String[] values = parameters.get(name);
        if (values == null) {
            return null;
        }
        if (values.length != 1) {
            throw invalid(name + " was given " + values.length + " times");
        }
        return values[0].isEmpty() ? null : values[0];
    }

    private static ProblemException invalid(String detail) {
        return new ProblemException(Problem.PARAMETER_INVALID, detail);
    }
}
