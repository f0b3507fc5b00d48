package dev.porcupine.ingest;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What a PATCH wants changed, read and checked before the event is known.
 *
 * @param name the new one, or null to leave it
 * @param distinctId likewise
 * @param timestampMicros likewise
 * @param properties an object to merge into the properties, or null
 */
record EventPatch(
        @Nullable String name,
        @Nullable String distinctId,
        @Nullable Long timestampMicros,
        @Nullable Slice properties,
        CaptureLimits limits) {

    private static final long FUTURE_MICROS_MAX = 23L * 3600 * 1_000_000;

    /**
     * @param body what the client sent; may be changed in place
     * @throws ProblemException when it is no JSON object, has no member, or one that is unknown, repeated or invalid
     */
    static EventPatch read(Slice body, long nowMicros, CaptureLimits limits) {
        if (!Utf8.isValid(body)) {
            throw new ProblemException(Problem.BODY_UNREADABLE, "the body is not UTF-8 text");
        }
        JsonScanner json = new JsonScanner(body, limits.nestingMax());
        if (json.peek() != JsonScanner.OBJECT) {
            throw new ProblemException(Problem.BODY_UNREADABLE, "a patch is a JSON object");
        }
        EventFields fields = new EventFields();
        fields.clear();
        json.enter();
        boolean first = true;
        while (json.nextName(first)) {
            first = false;
            int field = EventFields.fieldNamed(json, 0, EventFields.IN_PROPERTIES);
            switch (field) {
                case EventFields.EVENT, EventFields.DISTINCT_ID, EventFields.TIMESTAMP, EventFields.PROPERTIES ->
                    fields.member(json, field);
                default -> throw unknown(json);
            }
        }
        json.finish();
        if (json.takeTooDeep()) {
            throw invalid("the patch is nested deeper than " + limits.nestingMax() + " levels");
        }
        if (first) {
            throw invalid("the patch changes nothing: it has no member");
        }
        if (fields.repeated()) {
            throw invalid("the patch has a member twice");
        }
        return new EventPatch(
                name(json.text(), fields),
                distinctId(json.text(), fields),
                timestamp(json.text(), fields, nowMicros),
                properties(json.text(), fields),
                limits);
    }

    boolean merges() {
        return properties != null;
    }

    /** How much text it brings. */
    long length() {
        return (properties == null ? 0L : properties.length())
                + (name == null ? 0 : name.length())
                + (distinctId == null ? 0 : distinctId.length());
    }

    /**
     * The next revision.
     *
     * @throws ProblemException {@code BODY_TOO_LARGE} when the event would grow over the limit of one event
     */
    Event applyTo(Event base) {
        byte[] merged = properties == null
                ? base.properties()
                : new MergePatch(limits.nestingMax()).merge(base.properties(), properties);
        Event next = new Event(
                base.identity(),
                base.revision() + 1,
                false,
                name == null ? base.name() : name,
                distinctId == null ? base.distinctId() : distinctId,
                timestampMicros == null ? base.timestampMicros() : timestampMicros,
                base.receivedAtMillis(),
                merged);
        long bytes = bytes(next);
        if (bytes > limits.eventBytesMax() && bytes > bytes(base)) {
            throw new ProblemException(
                    Problem.BODY_TOO_LARGE,
                    "the event would have " + bytes + " bytes; " + limits.eventBytesMax() + " are allowed");
        }
        return next;
    }

    private static long bytes(Event event) {
        return (long) event.properties().length
                + event.name().getBytes(StandardCharsets.UTF_8).length
                + event.distinctId().getBytes(StandardCharsets.UTF_8).length;
    }

    private static @Nullable String name(byte[] text, EventFields fields) {
        if (!fields.has(EventFields.EVENT)) {
            return null;
        }
        String name = fields.is(EventFields.EVENT, JsonScanner.STRING) ? fields.string(text, EventFields.EVENT) : "";
        if (name.isEmpty()) {
            throw invalid("\"event\" must be a string, not empty");
        }
        return name;
    }

    private static @Nullable String distinctId(byte[] text, EventFields fields) {
        if (!fields.has(EventFields.DISTINCT_ID)) {
            return null;
        }
        String id = fields.hasValue(EventFields.DISTINCT_ID) ? DistinctId.of(text, fields) : "";
        if (id.isEmpty()) {
            throw invalid("\"distinct_id\" must not be null or blank");
        }
        return id;
    }

    /** What capture would put right in silence is refused: whoever corrects an event can correct the time too. */
    private static @Nullable Long timestamp(byte[] text, EventFields fields, long nowMicros) {
        if (!fields.has(EventFields.TIMESTAMP)) {
            return null;
        }
        long micros = fields.is(EventFields.TIMESTAMP, JsonScanner.NUMBER)
                ? TimestampText.parseNumber(text, fields.from(EventFields.TIMESTAMP), fields.to(EventFields.TIMESTAMP))
                : new EventReader(text, false).timestamp(fields, EventFields.TIMESTAMP);
        boolean none = micros == TimestampText.UNREADABLE || micros == TimestampText.OUT_OF_BOUNDS;
        if (none || micros - nowMicros > FUTURE_MICROS_MAX) {
            throw invalid("\"timestamp\" must be a time of the years 0 to 9999 in a form that capture reads, at most 23"
                    + " hours ahead");
        }
        return micros;
    }

    private static @Nullable Slice properties(byte[] text, EventFields fields) {
        if (!fields.has(EventFields.PROPERTIES)) {
            return null;
        }
        if (!fields.is(EventFields.PROPERTIES, JsonScanner.OBJECT)) {
            throw invalid("\"properties\" must be an object");
        }
        return new Slice(text, fields.from(EventFields.PROPERTIES), fields.to(EventFields.PROPERTIES));
    }

    private static ProblemException unknown(JsonScanner json) {
        String name = JsonText.decode(json.text(), json.from(), json.to(), json.escaped());
        return invalid("\"" + Rejection.cut(name)
                + "\" can't be changed; a patch takes \"event\", \"distinct_id\", \"timestamp\" and \"properties\"");
    }

    private static ProblemException invalid(String detail) {
        return new ProblemException(Problem.PARAMETER_INVALID, detail);
    }
}
