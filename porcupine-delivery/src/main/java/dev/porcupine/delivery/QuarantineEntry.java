package dev.porcupine.delivery;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.porcupine.ledger.QuarantinedEvent;
import dev.porcupine.schema.Event;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/**
 * A quarantined event as operators see it, whole.
 *
 * @param properties the client's own text
 */
record QuarantineEntry(
        long seq,
        String reason,
        @JsonProperty("quarantined_at") String quarantinedAt,
        String uuid,
        String event,
        @JsonProperty("distinct_id") String distinctId,
        String timestamp,
        @JsonProperty("received_at") String receivedAt,
        long revision,
        boolean deleted,
        @JsonRawValue String properties) {

    private static final DateTimeFormatter MICROS = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter MILLIS = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    static QuarantineEntry of(QuarantinedEvent quarantined) {
        return of(quarantined, new String(quarantined.event().properties(), StandardCharsets.UTF_8));
    }

    /** With properties that hold no line break. In JSON one can only stand between values, where a space means the same. */
    static QuarantineEntry onOneLine(QuarantinedEvent quarantined) {
        String properties = new String(quarantined.event().properties(), StandardCharsets.UTF_8);
        return of(quarantined, properties.replace('\n', ' ').replace('\r', ' '));
    }

    private static QuarantineEntry of(QuarantinedEvent quarantined, String properties) {
        Event event = quarantined.event();
        return new QuarantineEntry(
                quarantined.seq(),
                quarantined.reason(),
                MILLIS.format(Instant.ofEpochMilli(quarantined.quarantinedAtMillis())),
                event.identity().uuid().toString(),
                event.name(),
                event.distinctId(),
                MICROS.format(Instant.EPOCH.plus(event.timestampMicros(), ChronoUnit.MICROS)),
                MILLIS.format(Instant.ofEpochMilli(event.receivedAtMillis())),
                event.revision(),
                event.deleted(),
                properties);
    }
}
