package dev.porcupine.ledger;

import dev.porcupine.schema.Event;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * 32 bits over an event's name and distinct_id, which a receipt keeps when the texts are gone, so that a duplicate that differs from the
 * first event can be told. It is stored: another algorithm would make every old receipt look like a conflict. One conflict in four
 * billion goes unseen; the tag decides nothing but a counter.
 */
final class ContentTag {

    private ContentTag() {}

    static int of(Event event) {
        return of(utf8(event.name()), utf8(event.distinctId()));
    }

    static int of(byte[] name, byte[] distinctId) {
        CRC32C crc = new CRC32C();
        // the length keeps ("ab", "c") and ("a", "bc") apart
        crc.update(name.length);
        crc.update(name.length >>> 8);
        crc.update(name);
        crc.update(distinctId);
        return (int) crc.getValue();
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
