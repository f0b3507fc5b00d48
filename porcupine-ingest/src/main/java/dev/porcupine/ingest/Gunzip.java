package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * RFC 1952, strictly: all members are read and their contents joined, checksums must hold, and nothing may follow the last member. The
 * JDK's stream ignores what follows, which would lose events silently.
 */
final class Gunzip {

    private static final int HEADER_BYTES = 10;
    private static final int TRAILER_BYTES = 8;
    private static final int FLAG_HEADER_CRC = 2;
    private static final int FLAG_EXTRA = 4;
    private static final int FLAG_NAME = 8;
    private static final int FLAG_COMMENT = 16;
    private static final int FLAGS_RESERVED = 0xE0;

    /** Deflate can't expand more than this. */
    private static final long EXPANSION_MAX = 1032;

    private final byte[] in;
    private final int end;
    private final LayerBudget budget;
    private int at;
    private byte[] out;
    private int length;

    private Gunzip(Slice source, LayerBudget budget) {
        this.in = source.bytes();
        this.at = source.from();
        this.end = source.to();
        this.budget = budget;
        this.out = budget.allocate(firstSize(source));
    }

    static boolean hasMagic(Slice source) {
        return source.length() >= 2
                && source.bytes()[source.from()] == 0x1F
                && source.bytes()[source.from() + 1] == (byte) 0x8B;
    }

    /**
     * @throws ProblemException {@code BODY_UNREADABLE} for anything but whole gzip members; {@code BODY_TOO_LARGE} as soon as the output
     *     passes the budget
     */
    static Slice inflate(Slice source, LayerBudget budget) {
        Gunzip gunzip = new Gunzip(source, budget);
        Inflater inflater = new Inflater(true);
        try {
            while (gunzip.at < gunzip.end) {
                gunzip.member(inflater);
                inflater.reset();
            }
        } catch (DataFormatException e) {
            throw unreadable("is damaged");
        } finally {
            inflater.end();
        }
        return budget.finish(gunzip.out, gunzip.length, source.length());
    }

    /** The size that the trailer claims, as far as the input could expand to it. */
    private int firstSize(Slice source) {
        if (source.length() < HEADER_BYTES + TRAILER_BYTES) {
            throw unreadable("ends too soon");
        }
        long claimed = littleEndian(end - 4);
        long possible = Math.min((long) budget.remaining() + 1, EXPANSION_MAX * source.length());
        return (int) Math.max(64, Math.min(claimed + 1, possible));
    }

    private void member(Inflater inflater) throws DataFormatException {
        header();
        inflater.setInput(in, at, end - at);
        int start = length;
        while (true) {
            if (length == out.length) {
                out = budget.grow(out);
            }
            int n = inflater.inflate(out, length, out.length - length);
            length += n;
            if (inflater.finished()) {
                break;
            }
            if (n == 0 && (inflater.needsInput() || inflater.needsDictionary())) {
                throw unreadable("ends too soon");
            }
        }
        at = end - inflater.getRemaining();
        if (end - at < TRAILER_BYTES) {
            throw unreadable("ends too soon");
        }
        CRC32 crc = new CRC32();
        crc.update(out, start, length - start);
        if (littleEndian(at) != crc.getValue() || littleEndian(at + 4) != length - start) {
            throw unreadable("does not match its checksum");
        }
        at += TRAILER_BYTES;
    }

    private void header() {
        if (end - at < HEADER_BYTES) {
            throw unreadable("is followed by other bytes");
        }
        int flags = in[at + 3] & 0xFF;
        if (in[at] != 0x1F || in[at + 1] != (byte) 0x8B || in[at + 2] != 8 || (flags & FLAGS_RESERVED) != 0) {
            throw unreadable("has no valid header, or is followed by other bytes");
        }
        at += HEADER_BYTES;
        if ((flags & FLAG_EXTRA) != 0) {
            skip(2);
            skip((in[at - 2] & 0xFF) | (in[at - 1] & 0xFF) << 8);
        }
        if ((flags & FLAG_NAME) != 0) {
            skipText();
        }
        if ((flags & FLAG_COMMENT) != 0) {
            skipText();
        }
        if ((flags & FLAG_HEADER_CRC) != 0) {
            skip(2);
        }
    }

    private void skip(int bytes) {
        if (end - at < bytes) {
            throw unreadable("ends too soon");
        }
        at += bytes;
    }

    private void skipText() {
        do {
            skip(1);
        } while (in[at - 1] != 0);
    }

    private long littleEndian(int from) {
        return (in[from] & 0xFFL)
                | (in[from + 1] & 0xFFL) << 8
                | (in[from + 2] & 0xFFL) << 16
                | (in[from + 3] & 0xFFL) << 24;
    }

    private static ProblemException unreadable(String what) {
        return new ProblemException(Problem.BODY_UNREADABLE, "the body's gzip data " + what);
    }
}
