package dev.porcupine.history;

import dev.porcupine.schema.Event;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * Events as ClickHouse's RowBinaryWithNamesAndTypes. The header makes the server refuse the whole insert when a column's type has
 * drifted, instead of reading one column's bytes as another's.
 *
 * <p>Rows are encoded as the connection takes them, some 64 KiB at a time: a batch of many megabytes is never in the heap a second
 * time. Its length is known beforehand and sent, so that a cut body can't pass for a shorter batch.
 */
final class EventRows implements Iterable<byte[]> {

    private static final int CHUNK_BYTES = 64 * 1024;

    /** project_id, uuid, revision, is_deleted, timestamp_micros, received_at. */
    private static final int FIXED_BYTES = 8 + 16 + 8 + 1 + 8 + 8;

    private final List<Event> events;

    private EventRows(List<Event> events) {
        this.events = events;
    }

    static BodyPublisher publisher(List<Event> events) {
        EventRows rows = new EventRows(events);
        return BodyPublishers.fromPublisher(BodyPublishers.ofByteArrays(rows), rows.length());
    }

    @Override
    public Iterator<byte[]> iterator() {
        return new Chunks();
    }

    private long length() {
        long length = header().length;
        for (Event event : events) {
            length += rowLength(event);
        }
        return length;
    }

    private static int rowLength(Event event) {
        return FIXED_BYTES
                + stringLength(utf8(event.name()).length)
                + stringLength(utf8(event.distinctId()).length)
                + stringLength(event.properties().length);
    }

    private static byte[] header() {
        List<ClickHouseTable.Column> columns = ClickHouseTable.COLUMNS;
        int length = varintLength(columns.size());
        for (ClickHouseTable.Column column : columns) {
            length += stringLength(utf8(column.name()).length) + stringLength(utf8(column.type()).length);
        }
        ByteBuffer header = ByteBuffer.allocate(length);
        putVarint(header, columns.size());
        columns.forEach(column -> putString(header, utf8(column.name())));
        columns.forEach(column -> putString(header, utf8(column.type())));
        return header.array();
    }

    private static void putRow(ByteBuffer chunk, Event event) {
        chunk.putLong(event.identity().project().value());
        chunk.putLong(event.identity().uuid().mostSignificant());
        chunk.putLong(event.identity().uuid().leastSignificant());
        chunk.putLong(event.revision());
        chunk.put((byte) (event.deleted() ? 1 : 0));
        putString(chunk, utf8(event.name()));
        putString(chunk, utf8(event.distinctId()));
        chunk.putLong(event.timestampMicros());
        chunk.putLong(event.receivedAtMillis());
        putString(chunk, event.properties());
    }

    private static void putString(ByteBuffer chunk, byte[] bytes) {
        putVarint(chunk, bytes.length);
        chunk.put(bytes);
    }

    private static void putVarint(ByteBuffer chunk, int value) {
        int rest = value;
        while (rest >= 0x80) {
            chunk.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        chunk.put((byte) rest);
    }

    private static int stringLength(int bytes) {
        return varintLength(bytes) + bytes;
    }

    private static int varintLength(int value) {
        return value == 0 ? 1 : (31 - Integer.numberOfLeadingZeros(value)) / 7 + 1;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The header first, then whole rows until a chunk is full; a row larger than a chunk is a chunk of its own. */
    private final class Chunks implements Iterator<byte[]> {

        private boolean headed;
        private int next;

        @Override
        public boolean hasNext() {
            return !headed || next < events.size();
        }

        @Override
        public byte[] next() {
            if (!headed) {
                headed = true;
                return header();
            }
            if (next == events.size()) {
                throw new NoSuchElementException();
            }
            int from = next;
            int length = 0;
            while (next < events.size() && length < CHUNK_BYTES) {
                length += rowLength(events.get(next));
                next++;
            }
            ByteBuffer chunk = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
            for (Event event : events.subList(from, next)) {
                putRow(chunk, event);
            }
            return chunk.array();
        }
    }
}
