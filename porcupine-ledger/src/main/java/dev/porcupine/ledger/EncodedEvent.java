package dev.porcupine.ledger;

import dev.porcupine.schema.Event;

/** An event with everything computed that the writer's thread need not compute. */
@SuppressWarnings("ArrayRecordComponent") // lives for one call, never compared
record EncodedEvent(Event event, byte[] uuid, int contentTag, long bytes) {

    /** A row's other columns, its index entry and page slack: what a queued event costs beside its texts and properties. */
    static final long ROW_OVERHEAD_BYTES = 128;

    static EncodedEvent of(Event event) {
        byte[] name = ContentTag.utf8(event.name());
        byte[] distinctId = ContentTag.utf8(event.distinctId());
        return new EncodedEvent(
                event,
                event.identity().uuid().toBytes(),
                ContentTag.of(name, distinctId),
                ROW_OVERHEAD_BYTES + name.length + distinctId.length + event.properties().length);
    }
}
