package dev.porcupine.query;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventText;
import java.io.OutputStream;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.io.SerializedString;
import tools.jackson.core.json.JsonFactory;

/** Writes answers as they go out. Properties pass through as the client wrote them: number text, key order and all. */
final class EventJson {

    private static final JsonFactory JSON = new JsonFactory();

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
        json.writeRawValue(new SerializedString(EventText.of(event)));
    }

    private static JsonGenerator generator(OutputStream out) {
        return JSON.createGenerator(ObjectWriteContext.empty(), out);
    }
}
