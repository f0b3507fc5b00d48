package dev.porcupine.query;

import dev.porcupine.schema.Event;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.io.SerializedString;
import tools.jackson.core.json.JsonFactory;

/** Writes answers as they go out. Properties pass through as the client wrote them: number text, key order and all. */
final class EventJson {

    private static final JsonFactory JSON = new JsonFactory();
    private static final DateTimeFormatter MICROS = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter MILLIS = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private EventJson() {}

    static void writeCount(OutputStream out, long count) {
        try (JsonGenerator json = generator(out)) {
            json.writeStartObject();
            json.writeNumberProperty("count", count);
            json.writeEndObject();
        }
    }

    static void writePage(OutputStream out, EventPage page) {
        try (JsonGenerator json = generator(out)) {
            json.writeStartObject();
            json.writeArrayPropertyStart("events");
            for (Event event : page.events()) {
                write(json, event);
            }
            json.writeEndArray();
            if (page.next() == null) {
                json.writeNullProperty("next");
            } else {
                json.writeStringProperty("next", Cursor.encode(page.next()));
            }
            json.writeEndObject();
        }
    }

    static void writeEvent(OutputStream out, Event event) {
        try (JsonGenerator json = generator(out)) {
            write(json, event);
        }
    }

    private static void write(JsonGenerator json, Event event) {
        json.writeStartObject();
        json.writeStringProperty("uuid", event.identity().uuid().toString());
        json.writeStringProperty("event", event.name());
        json.writeStringProperty("distinct_id", event.distinctId());
        json.writeStringProperty(
                "timestamp", MICROS.format(Instant.EPOCH.plus(event.timestampMicros(), ChronoUnit.MICROS)));
        json.writeStringProperty("received_at", MILLIS.format(Instant.ofEpochMilli(event.receivedAtMillis())));
        json.writeNumberProperty("revision", event.revision());
        json.writeName("properties");
        json.writeRawValue(new SerializedString(new String(event.properties(), StandardCharsets.UTF_8)));
        json.writeEndObject();
    }

    private static JsonGenerator generator(OutputStream out) {
        return JSON.createGenerator(ObjectWriteContext.empty(), out);
    }
}
