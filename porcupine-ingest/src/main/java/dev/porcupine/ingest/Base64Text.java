package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import java.util.Arrays;

/** Base64 as PostHog's server recognises it: by its look. */
final class Base64Text {

    /** As far as PostHog looks. */
    private static final int LOOK_BYTES = 128;

    private static final byte[] VALUES = values();
    private static final byte PAD = -2;
    private static final byte NONE = -1;

    private Base64Text() {}

    static boolean looksLike(Slice text) {
        if (text.isEmpty() || text.length() % 4 != 0) {
            return false;
        }
        int end = Math.min(text.to(), text.from() + LOOK_BYTES);
        for (int i = text.from(); i < end; i++) {
            if (VALUES[text.bytes()[i] & 0xFF] == NONE) {
                return false;
            }
        }
        return true;
    }

    /** Form decoding made a space of every plus sign; Base64 has no spaces. */
    static void restorePlus(Slice text) {
        int end = Math.min(text.to(), text.from() + LOOK_BYTES);
        for (int i = text.from(); i < end; i++) {
            byte b = text.bytes()[i];
            if (b != ' ' && VALUES[b & 0xFF] == NONE) {
                return;
            }
        }
        for (int i = text.from(); i < text.to(); i++) {
            if (text.bytes()[i] == ' ') {
                text.bytes()[i] = '+';
            }
        }
    }

    /**
     * @param keepTail whether bits that fill no byte are kept in one more: lz-string writes a stream of bits, whose end they may hold, and
     *     even ends in three padding characters
     * @throws ProblemException {@code BODY_UNREADABLE} when it only looked like Base64 at its beginning
     */
    static Slice decode(Slice text, boolean keepTail, LayerBudget budget) {
        byte[] bytes = text.bytes();
        byte[] out = budget.allocate(text.length() / 4 * 3);
        int n = 0;
        int lastGroup = text.to() - 4;
        for (int i = text.from(); i <= lastGroup; i += 4) {
            int a = VALUES[bytes[i] & 0xFF];
            int b = VALUES[bytes[i + 1] & 0xFF];
            int c = VALUES[bytes[i + 2] & 0xFF];
            int d = VALUES[bytes[i + 3] & 0xFF];
            if ((a | b | c | d) >= 0) {
                out[n++] = (byte) (a << 2 | b >> 4);
                out[n++] = (byte) (b << 4 | c >> 2);
                out[n++] = (byte) (c << 6 | d);
                continue;
            }
            boolean padded = i == lastGroup
                    && a >= 0
                    && (b >= 0 || (keepTail && b == PAD && c == PAD))
                    && (c >= 0 || c == PAD)
                    && d == PAD;
            if (!padded) {
                throw new ProblemException(Problem.BODY_UNREADABLE, "the body begins like Base64 but is not");
            }
            out[n++] = (byte) (a << 2 | Math.max(b, 0) >> 4);
            if (c >= 0 || keepTail) {
                out[n++] = (byte) (Math.max(b, 0) << 4 | Math.max(c, 0) >> 2);
            }
            if (keepTail) {
                out[n++] = (byte) (Math.max(c, 0) << 6);
            }
        }
        return budget.finish(out, n, text.length());
    }

    private static byte[] values() {
        byte[] values = new byte[256];
        Arrays.fill(values, (byte) -1);
        String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        for (int i = 0; i < alphabet.length(); i++) {
            values[alphabet.charAt(i)] = (byte) i;
        }
        values['='] = -2;
        return values;
    }
}
