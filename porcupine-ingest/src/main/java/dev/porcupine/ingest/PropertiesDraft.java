package dev.porcupine.ingest;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Where an event's properties stand in the body's text, and what stood beside them and belongs into them. Where there is nothing,
 * from and to are the same.
 *
 * @param empty whether the properties are absent or have no member
 * @param setFrom a top-level {@code $set} that the properties lack
 * @param setOnceFrom likewise {@code $set_once}
 * @param keepsTime whether the properties lack {@code $raw_timestamp}
 */
record PropertiesDraft(
        int from, int to, boolean empty, int setFrom, int setTo, int setOnceFrom, int setOnceTo, boolean keepsTime) {

    private static final byte[] SET = name("$set");
    private static final byte[] SET_ONCE = name("$set_once");
    private static final byte[] RAW_TIMESTAMP = name("$raw_timestamp");

    /**
     * The properties as the client wrote them, byte for byte, with what it wrote beside them appended.
     *
     * @param time the client's timestamp where its text is to be kept, else null
     */
    byte[] text(byte[] body, ClientTime time, boolean withTime) {
        int timeTo = withTime && keepsTime ? time.to() : time.from();
        int more = member(SET, setFrom, setTo)
                + member(SET_ONCE, setOnceFrom, setOnceTo)
                + member(RAW_TIMESTAMP, time.from(), timeTo);
        if (from == to && more == 0) {
            return new byte[] {'{', '}'};
        }
        if (more == 0) {
            return Arrays.copyOfRange(body, from, to);
        }
        byte[] out = new byte[Math.max(2, to - from) + more - (empty ? 1 : 0)];
        int at = 0;
        if (from == to) {
            out[at++] = '{';
        } else {
            at = put(out, at, body, from, to - 1);
        }
        boolean first = empty;
        at = append(out, at, first, SET, body, setFrom, setTo);
        first &= setFrom == setTo;
        at = append(out, at, first, SET_ONCE, body, setOnceFrom, setOnceTo);
        first &= setOnceFrom == setOnceTo;
        at = append(out, at, first, RAW_TIMESTAMP, body, time.from(), timeTo);
        out[at] = '}';
        return out;
    }

    private static int member(byte[] name, int from, int to) {
        return from == to ? 0 : 1 + name.length + to - from;
    }

    private static int append(byte[] out, int at, boolean first, byte[] name, byte[] body, int from, int to) {
        if (from == to) {
            return at;
        }
        int next = at;
        if (!first) {
            out[next++] = ',';
        }
        next = put(out, next, name, 0, name.length);
        return put(out, next, body, from, to);
    }

    private static int put(byte[] out, int at, byte[] text, int from, int to) {
        System.arraycopy(text, from, out, at, to - from);
        return at + to - from;
    }

    private static byte[] name(String name) {
        return ('"' + name + "\":").getBytes(StandardCharsets.US_ASCII);
    }
}
