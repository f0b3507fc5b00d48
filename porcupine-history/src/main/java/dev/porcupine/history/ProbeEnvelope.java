package dev.porcupine.history;

import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import java.util.HashSet;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads a probe's answer, or refuses it whole (P27). A cut, padded, foreign or inconsistent answer looks like "not found" to a tolerant
 * reader, and "not found" is what lets an event in; so everything is checked: one object and nothing behind it, the two columns in
 * order with their types, rows counted and announced alike, only identities that were asked for, none twice, statistics at the end.
 */
final class ProbeEnvelope {

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private final Set<EventIdentity> requested;
    private final Set<EventIdentity> known = new HashSet<>();
    private boolean columnsRead;
    private boolean rowsRead;
    private long announcedRows = -1;
    private long statisticsRows = -1;
    private long statisticsBytes = -1;

    private ProbeEnvelope(Set<EventIdentity> requested) {
        this.requested = requested;
    }

    /** One whole answer. */
    record Answer(Set<EventIdentity> known, ProbeCost cost) {}

    /** The answer is not one complete envelope; the message says where it goes wrong. */
    static final class IncompleteException extends Exception {

        private static final long serialVersionUID = 1;

        IncompleteException(String message) {
            super(message);
        }
    }

    /**
     * Reads the server's {@code JSONCompact} text.
     *
     * @throws IncompleteException for anything but the whole answer to this very question
     */
    static Answer read(byte[] body, Set<EventIdentity> requested) throws IncompleteException {
        ProbeEnvelope envelope = new ProbeEnvelope(requested);
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), body)) {
            envelope.readObject(parser);
            if (parser.nextToken() != null) {
                throw new IncompleteException("text follows the envelope");
            }
        } catch (JacksonException e) {
            throw new IncompleteException("not JSON as a whole: "
                    + e.getOriginalMessage().lines().findFirst().orElse("no reason given"));
        }
        return envelope.answer();
    }

    private Answer answer() throws IncompleteException {
        if (!columnsRead || !rowsRead) {
            throw new IncompleteException("the envelope has no columns or no rows");
        }
        if (announcedRows != known.size()) {
            throw new IncompleteException("announced " + announcedRows + " rows, carries " + known.size());
        }
        if (statisticsRows < 0 || statisticsBytes < 0) {
            throw new IncompleteException("the envelope has no statistics");
        }
        return new Answer(known, new ProbeCost(statisticsRows, statisticsBytes));
    }

    private void readObject(JsonParser parser) throws IncompleteException {
        expect(parser.nextToken(), JsonToken.START_OBJECT, "an object");
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parser.currentName();
            JsonToken value = parser.nextToken();
            switch (name) {
                case "meta" -> readColumns(parser, value);
                case "data" -> readRows(parser, value);
                case "rows" -> announcedRows = integer(parser, value, name);
                case "statistics" -> readStatistics(parser, value);
                case "rows_before_limit_at_least" -> integer(parser, value, name);
                default -> throw new IncompleteException("unknown part " + quoted(name));
            }
        }
        expect(parser.currentToken(), JsonToken.END_OBJECT, "the end of the object");
    }

    private void readColumns(JsonParser parser, JsonToken first) throws IncompleteException {
        expect(first, JsonToken.START_ARRAY, "a list of columns");
        readColumn(parser, "project_id", "UInt64");
        readColumn(parser, "uuid", "UUID");
        expect(parser.nextToken(), JsonToken.END_ARRAY, "two columns");
        columnsRead = true;
    }

    private static void readColumn(JsonParser parser, String name, String type) throws IncompleteException {
        expect(parser.nextToken(), JsonToken.START_OBJECT, "a column");
        readColumnPart(parser, "name", name);
        readColumnPart(parser, "type", type);
        expect(parser.nextToken(), JsonToken.END_OBJECT, "the end of a column");
    }

    private static void readColumnPart(JsonParser parser, String part, String wanted) throws IncompleteException {
        expect(parser.nextToken(), JsonToken.PROPERTY_NAME, "a part of a column");
        String found = parser.currentName();
        expect(parser.nextToken(), JsonToken.VALUE_STRING, "text in a column's " + part);
        if (!part.equals(found) || !wanted.equals(parser.getString())) {
            throw new IncompleteException("wanted a column's " + part + " to be " + wanted + ", found " + quoted(found)
                    + ": " + quoted(parser.getString()));
        }
    }

    private void readRows(JsonParser parser, JsonToken first) throws IncompleteException {
        expect(first, JsonToken.START_ARRAY, "a list of rows");
        if (!columnsRead) {
            throw new IncompleteException("rows come before their columns");
        }
        while (parser.nextToken() == JsonToken.START_ARRAY) {
            readRow(parser);
        }
        expect(parser.currentToken(), JsonToken.END_ARRAY, "the end of the rows");
        rowsRead = true;
    }

    private void readRow(JsonParser parser) throws IncompleteException {
        expect(parser.nextToken(), JsonToken.VALUE_STRING, "a project id as text");
        long project = count(parser.getString());
        if (project == 0) {
            throw new IncompleteException("a row names project 0");
        }
        expect(parser.nextToken(), JsonToken.VALUE_STRING, "a uuid");
        EventUuid uuid =
                EventUuid.parse(parser.getString()).orElseThrow(() -> new IncompleteException("a row's uuid is none"));
        expect(parser.nextToken(), JsonToken.END_ARRAY, "two values in a row");
        EventIdentity identity = new EventIdentity(new ProjectId(project), uuid);
        if (!requested.contains(identity)) {
            throw new IncompleteException("a row names " + identity + ", which was not asked for");
        }
        if (!known.add(identity)) {
            throw new IncompleteException("two rows name " + identity);
        }
    }

    private void readStatistics(JsonParser parser, JsonToken first) throws IncompleteException {
        expect(first, JsonToken.START_OBJECT, "statistics");
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parser.currentName();
            JsonToken value = parser.nextToken();
            switch (name) {
                case "rows_read" -> statisticsRows = integer(parser, value, name);
                case "bytes_read" -> statisticsBytes = integer(parser, value, name);
                default -> parser.skipChildren();
            }
        }
        expect(parser.currentToken(), JsonToken.END_OBJECT, "the end of the statistics");
    }

    private static long integer(JsonParser parser, JsonToken value, String name) throws IncompleteException {
        if (value == JsonToken.VALUE_STRING) {
            return count(parser.getString());
        }
        expect(value, JsonToken.VALUE_NUMBER_INT, name + " as an integer");
        return parser.getLongValue();
    }

    private static long count(String text) throws IncompleteException {
        long value;
        try {
            value = Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IncompleteException("not a number: " + quoted(text));
        }
        if (value < 0) {
            throw new IncompleteException("not a count: " + quoted(text));
        }
        return value;
    }

    private static void expect(JsonToken found, JsonToken wanted, String what) throws IncompleteException {
        if (found != wanted) {
            throw new IncompleteException("wanted " + what + ", found " + found);
        }
    }

    /** For a log line: short, and without control characters of somebody else's choosing. */
    private static String quoted(String text) {
        return '"' + text.substring(0, Math.min(text.length(), 40)).replaceAll("\\p{Cntrl}", "?") + '"';
    }
}
