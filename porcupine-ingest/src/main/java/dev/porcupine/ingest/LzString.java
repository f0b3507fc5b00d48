package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;

/**
 * Reads what lz-string's {@code compressToBase64} wrote, after the Base64 is gone: six bits of a character or eight of a byte are the
 * same stream of bits.
 *
 * <p>Every entry of the dictionary is a piece of the output written so far, so it is kept as a place and a length. Copies would let a
 * small body fill the heap with overlapping strings.
 */
final class LzString {

    private static final int CODE_8_BITS = 0;
    private static final int CODE_16_BITS = 1;
    private static final int CODE_END = 2;
    private static final int FIRST_FREE_CODE = 3;

    private final byte[] in;
    private final int end;
    private final LayerBudget budget;
    private int at;
    private int bit = 0x80;

    /** UTF-16 units, big-endian, two bytes each. */
    private byte[] out;

    private int length;
    private int[] starts;
    private int[] ends;
    private int codes = FIRST_FREE_CODE;

    private LzString(Slice source, LayerBudget budget) {
        this.in = source.bytes();
        this.at = source.from();
        this.end = source.to();
        this.budget = budget;
        this.out = budget.allocate(Math.max(64, Math.min(4 * Math.min(source.length(), 1 << 20), budget.remaining())));
        this.starts = budget.allocateInts(256);
        this.ends = budget.allocateInts(256);
    }

    /**
     * @return the text in UTF-8; a half of a surrogate pair becomes U+FFFD
     * @throws ProblemException {@code BODY_UNREADABLE} or {@code BODY_TOO_LARGE}
     */
    static Slice decompress(Slice source, LayerBudget budget) {
        LzString lz = new LzString(source, budget);
        lz.run();
        budget.releaseInts(lz.starts);
        budget.releaseInts(lz.ends);
        return lz.utf8(source.length());
    }

    private void run() {
        int width = 2;
        int code = bits(width);
        if (code == CODE_END) {
            return;
        }
        if (code > CODE_END) {
            throw unreadable();
        }
        // The stream begins with a character of its own; it is the first entry.
        enter(length, length + 2);
        unit(bits(code == CODE_8_BITS ? 8 : 16));
        width = 3;
        int room = 4;
        int previousStart = 0;
        int previousEnd = length;
        while (true) {
            code = bits(width);
            if (code == CODE_END) {
                return;
            }
            if (code == CODE_8_BITS || code == CODE_16_BITS) {
                int unit = bits(code == CODE_8_BITS ? 8 : 16);
                code = codes;
                enter(length, length + 2);
                // Its entry is where it is about to be written.
                reserve(2);
                out[length] = (byte) (unit >> 8);
                out[length + 1] = (byte) unit;
                if (--room == 0) {
                    room = 1 << width;
                    width++;
                }
            }
            int from;
            int to;
            if (code < codes) {
                from = starts[code];
                to = ends[code];
            } else if (code == codes) {
                from = previousStart;
                to = previousEnd;
            } else {
                throw unreadable();
            }
            int start = length;
            int size = to - from;
            int extra = code == codes ? 2 : 0;
            reserve(size + extra);
            if (from != start) {
                System.arraycopy(out, from, out, start, size);
            }
            length = start + size;
            if (extra != 0) {
                System.arraycopy(out, previousStart, out, length, 2);
                length += 2;
            }
            // previous + the first unit of this entry lies in the output as it is: this entry was written right behind
            // it.
            enter(previousStart, previousEnd + 2);
            previousStart = start;
            previousEnd = length;
            if (--room == 0) {
                room = 1 << width;
                width++;
            }
        }
    }

    private void enter(int from, int to) {
        if (codes == starts.length) {
            starts = budget.growInts(starts);
            ends = budget.growInts(ends);
        }
        starts[codes] = from;
        ends[codes] = to;
        codes++;
    }

    private void unit(int unit) {
        reserve(2);
        out[length++] = (byte) (unit >> 8);
        out[length++] = (byte) unit;
    }

    private void reserve(int bytes) {
        while (out.length - length < bytes) {
            out = budget.grow(out);
        }
    }

    /** lz-string numbers bits from the lowest of a value, and reads them from the highest of a byte. */
    private int bits(int count) {
        int value = 0;
        for (int i = 0; i < count; i++) {
            if (at == end) {
                throw unreadable();
            }
            if ((in[at] & bit) != 0) {
                value |= 1 << i;
            }
            bit >>= 1;
            if (bit == 0) {
                bit = 0x80;
                at++;
            }
        }
        return value;
    }

    private Slice utf8(int bytesRead) {
        byte[] text = budget.allocate(length / 2 + 64);
        int n = 0;
        for (int i = 0; i < length; i += 2) {
            while (text.length - n < 4) {
                text = budget.grow(text);
            }
            char c = unitAt(i);
            int point = c;
            if (Character.isSurrogate(c)) {
                boolean pair =
                        Character.isHighSurrogate(c) && i + 2 < length && Character.isLowSurrogate(unitAt(i + 2));
                if (pair) {
                    i += 2;
                    point = Character.toCodePoint(c, unitAt(i));
                } else {
                    point = 0xFFFD;
                }
            }
            n += Utf8.write(point, text, n);
        }
        return budget.finish(text, n, bytesRead + out.length);
    }

    private char unitAt(int i) {
        return (char) ((out[i] & 0xFF) << 8 | (out[i + 1] & 0xFF));
    }

    private static ProblemException unreadable() {
        return new ProblemException(Problem.BODY_UNREADABLE, "the body's lz-string data is damaged or ends too soon");
    }
}
