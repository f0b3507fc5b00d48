package dev.porcupine.ingest;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

/** Damages documents the way that finds faults in parsers: few changes, with bytes that mean something. */
final class Mutation {

    private static final byte[] TELLING = "{}[]\",:\\u0123456789eE+-.tfn \n\0".getBytes(StandardCharsets.US_ASCII);

    private Mutation() {}

    static byte[] of(byte[] original, Random random) {
        byte[] document = original;
        for (int i = random.nextInt(4); i >= 0; i--) {
            document = once(document, random);
        }
        return document;
    }

    private static byte[] once(byte[] document, Random random) {
        if (document.length == 0) {
            return new byte[] {TELLING[random.nextInt(TELLING.length)]};
        }
        int at = random.nextInt(document.length);
        byte telling = TELLING[random.nextInt(TELLING.length)];
        return switch (random.nextInt(7)) {
            case 0 -> with(document, at, telling);
            case 1 -> with(document, at, (byte) random.nextInt(256));
            case 2 -> spliced(document, at, Math.min(document.length, at + 1 + random.nextInt(4)), new byte[0]);
            case 3 -> spliced(document, at, at, new byte[] {telling});
            case 4 -> Arrays.copyOf(document, at);
            case 5 -> {
                int end = at + random.nextInt(document.length - at + 1);
                yield spliced(document, end, end, Arrays.copyOfRange(document, at, end));
            }
            default -> document;
        };
    }

    private static byte[] with(byte[] document, int at, byte value) {
        byte[] changed = document.clone();
        changed[at] = value;
        return changed;
    }

    private static byte[] spliced(byte[] document, int from, int to, byte[] middle) {
        return CaptureFixture.join(
                Arrays.copyOf(document, from), middle, Arrays.copyOfRange(document, to, document.length));
    }
}
