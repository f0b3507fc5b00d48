package dev.porcupine.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.History;
import dev.porcupine.history.InsertResult;
import dev.porcupine.history.Verification;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;

/** Events put straight into a history. */
final class StoredEvents {

    /** 2026-11-30T10:00:00Z. */
    static final long TEN_O_CLOCK_MICROS = 1_796_032_800_000_000L;

    static final Comparator<Event> NEWEST_FIRST = Comparator.comparingLong(Event::timestampMicros)
            .thenComparing(event -> event.identity().uuid())
            .reversed();

    private StoredEvents() {}

    static EventUuid uuid(long number) {
        // A mixed first half, so that byte order, ClickHouse's own order and the order of numbers all differ.
        return new EventUuid(Long.reverse(number) ^ 0x0190_F000_0000_7000L, 0x8000_0000_0000_0000L | number);
    }

    static Event event(long number, long timestampMicros, String name, String distinctId, String properties) {
        return Event.original(
                new EventIdentity(QueryServer.PROJECT, uuid(number)),
                name,
                distinctId,
                timestampMicros,
                TEN_O_CLOCK_MICROS / 1_000 + 123,
                properties.getBytes(StandardCharsets.UTF_8));
    }

    static void store(History history, List<Event> events) {
        Verification verification = history.verify();
        assertThat(verification).isInstanceOf(Verification.Verified.class);
        assertThat(history.insert(((Verification.Verified) verification).source(), events))
                .isEqualTo(new InsertResult.Acknowledged());
    }
}
