package dev.porcupine.ingest;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Strict UTF-8: no byte order mark, no surrogates in three bytes (CESU-8), no overlong forms. */
final class Utf8 {

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long HIGH_BITS = 0x8080808080808080L;

    private Utf8() {}

    static boolean isValid(Slice text) {
        byte[] bytes = text.bytes();
        int end = text.to();
        int at = text.from();
        if (text.length() >= 3
                && bytes[at] == (byte) 0xEF
                && bytes[at + 1] == (byte) 0xBB
                && bytes[at + 2] == (byte) 0xBF) {
            return false;
        }
        while (at < end) {
            if (bytes[at] >= 0) {
                at++;
                while (at + Long.BYTES <= end && ((long) LONGS.get(bytes, at) & HIGH_BITS) == 0) {
                    at += Long.BYTES;
                }
                continue;
            }
            int length = sequenceLength(bytes, at, end);
            if (length == 0) {
                return false;
            }
            at += length;
        }
        return true;
    }

    /** 0 when the bytes are no character. */
    private static int sequenceLength(byte[] bytes, int at, int end) {
        int lead = bytes[at] & 0xFF;
        int length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
        if (length == 0 || end - at < length) {
            return 0;
        }
        int second = bytes[at + 1] & 0xFF;
        int lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
        int highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
        if (second < lowest || second > highest) {
            return 0;
        }
        for (int i = 2; i < length; i++) {
            if ((bytes[at + i] & 0xC0) != 0x80) {
                return 0;
            }
        }
        return length;
    }

    /**
     * @param point no surrogate
     * @return the bytes written
     */
    static int write(int point, byte[] to, int at) {
        if (point < 0x80) {
            to[at] = (byte) point;
            return 1;
        }
        if (point < 0x800) {
            to[at] = (byte) (0xC0 | point >> 6);
            to[at + 1] = (byte) (0x80 | (point & 0x3F));
            return 2;
        }
        if (point < 0x10000) {
            to[at] = (byte) (0xE0 | point >> 12);
            to[at + 1] = (byte) (0x80 | (point >> 6 & 0x3F));
            to[at + 2] = (byte) (0x80 | (point & 0x3F));
            return 3;
        }
        to[at] = (byte) (0xF0 | point >> 18);
        to[at + 1] = (byte) (0x80 | (point >> 12 & 0x3F));
        to[at + 2] = (byte) (0x80 | (point >> 6 & 0x3F));
        to[at + 3] = (byte) (0x80 | (point & 0x3F));
        return 4;
    }
}
