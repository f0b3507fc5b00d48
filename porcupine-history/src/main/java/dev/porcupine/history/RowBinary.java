package dev.porcupine.history;

import dev.porcupine.schema.EventUuid;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads the values of a RowBinary answer. A value that is not wholly there is an {@link IncompleteException}, never a short value. */
final class RowBinary {

    private static final int VARINT_BYTES_MAX = 5;

    private final ByteBuffer bytes;

    private RowBinary(ByteBuffer bytes) {
        this.bytes = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Every row of an answer. */
    static <T> List<T> rows(ByteBuffer answer, Row<T> row) throws IncompleteException {
        RowBinary values = new RowBinary(answer);
        List<T> rows = new ArrayList<>();
        while (values.bytes.hasRemaining()) {
            try {
                rows.add(row.read(values));
            } catch (BufferUnderflowException e) {
                throw new IncompleteException("the answer ends within row " + (rows.size() + 1), e);
            }
        }
        return rows;
    }

    long int64() {
        return bytes.getLong();
    }

    boolean bool() {
        return bytes.get() != 0;
    }

    /** A FixedString(16) in network order, as {@code UUIDToNum} gives it. */
    EventUuid uuid() {
        byte[] network = new byte[EventUuid.BYTES];
        bytes.get(network);
        return EventUuid.ofBytes(network);
    }

    String text() {
        return new String(string(), StandardCharsets.UTF_8);
    }

    byte[] string() {
        int length = varint();
        if (length < 0 || length > bytes.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] string = new byte[length];
        bytes.get(string);
        return string;
    }

    private int varint() {
        int value = 0;
        for (int i = 0; i < VARINT_BYTES_MAX; i++) {
            byte next = bytes.get();
            value |= (next & 0x7F) << (7 * i);
            if (next >= 0) {
                return value;
            }
        }
        throw new BufferUnderflowException();
    }

    @FunctionalInterface
    interface Row<T> {
        T read(RowBinary values);
    }

    static final class IncompleteException extends Exception {

        private static final long serialVersionUID = 1;

        IncompleteException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
