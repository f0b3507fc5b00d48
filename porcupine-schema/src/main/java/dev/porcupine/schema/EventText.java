package dev.porcupine.schema;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.Locale;

/**
 * An event as the JSON text that every address of the admin interface shows. Properties pass through as the client wrote them: number text,
 * key order and all.
 */
public final class EventText {

    private static final DateTimeFormatter MICROS = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter MILLIS = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private EventText() {}

    public static String of(Event event) {
        StringBuilder json = new StringBuilder(256 + event.properties().length);
        json.append("{\"uuid\":\"").append(event.identity().uuid()).append("\",\"event\":");
        quote(json, event.name());
        json.append(",\"distinct_id\":");
        quote(json, event.distinctId());
        return json.append(",\"timestamp\":\"")
                .append(MICROS.format(Instant.EPOCH.plus(event.timestampMicros(), ChronoUnit.MICROS)))
                .append("\",\"received_at\":\"")
                .append(MILLIS.format(Instant.ofEpochMilli(event.receivedAtMillis())))
                .append("\",\"revision\":")
                .append(event.revision())
                .append(",\"properties\":")
                .append(new String(event.properties(), StandardCharsets.UTF_8))
                .append('}')
                .toString();
    }

    private static void quote(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> json.append("\\\"");
                case '\\' -> json.append("\\\\");
                case '\b' -> json.append("\\b");
                case '\f' -> json.append("\\f");
                case '\n' -> json.append("\\n");
                case '\r' -> json.append("\\r");
                case '\t' -> json.append("\\t");
                default -> {
                    if (c < ' ') {
                        json.append("\\u").append(HEX.toHexDigits(c));
                    } else {
                        json.append(c);
                    }
                }
            }
        }
        json.append('"');
    }
}
