package dev.porcupine.history;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** Events for tests. Each test takes a project of its own, so that tests may share a store. */
final class Sample {

    static final long RECEIVED_AT = Instant.parse("2026-11-30T10:00:00.123Z").toEpochMilli();
    static final long TIMESTAMP = 1_780_000_000_123_456L;

    private static final AtomicLong PROJECTS = new AtomicLong();

    private Sample() {}

    static ProjectId freshProject() {
        return new ProjectId(PROJECTS.incrementAndGet());
    }

    static EventUuid freshUuid() {
        return EventUuid.of(UUID.randomUUID());
    }

    static Event event(ProjectId project) {
        return event(project, freshUuid());
    }

    static Event event(ProjectId project, EventUuid uuid) {
        return event(project, uuid, TIMESTAMP);
    }

    static Event event(ProjectId project, EventUuid uuid, long timestampMicros) {
        return Event.original(
                new EventIdentity(project, uuid),
                "signed up",
                "user-1",
                timestampMicros,
                RECEIVED_AT,
                json("{\"plan\":\"pro\",\"price\":1.50}"));
    }

    static List<Event> events(ProjectId project, int count) {
        List<Event> events = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            events.add(event(project, freshUuid(), TIMESTAMP + i));
        }
        return events;
    }

    static Event named(Event event, String name, String distinctId) {
        return new Event(
                event.identity(),
                event.revision(),
                event.deleted(),
                name,
                distinctId,
                event.timestampMicros(),
                event.receivedAtMillis(),
                event.properties());
    }

    static Event withProperties(Event event, String json) {
        return new Event(
                event.identity(),
                event.revision(),
                event.deleted(),
                event.name(),
                event.distinctId(),
                event.timestampMicros(),
                event.receivedAtMillis(),
                json(json));
    }

    static Event receivedAt(Event event, long receivedAtMillis) {
        return new Event(
                event.identity(),
                event.revision(),
                event.deleted(),
                event.name(),
                event.distinctId(),
                event.timestampMicros(),
                receivedAtMillis,
                event.properties());
    }

    /** A later revision with another timestamp and other properties. */
    static Event revised(Event event, long revision) {
        return new Event(
                event.identity(),
                revision,
                false,
                event.name(),
                event.distinctId(),
                event.timestampMicros() + revision,
                event.receivedAtMillis(),
                json("{\"revision\":" + revision + "}"));
    }

    static Event tombstone(Event event, long revision) {
        return new Event(
                event.identity(),
                revision,
                true,
                event.name(),
                event.distinctId(),
                event.timestampMicros(),
                event.receivedAtMillis(),
                json("{}"));
    }

    static EventQuery firstPage(ProjectId project, int limit) {
        return new EventQuery(project, null, null, null, null, null, limit);
    }

    static byte[] json(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
