package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import java.util.Arrays;

/** What one body's layers of encoding may produce together, charged to the process as it is allocated. */
final class LayerBudget {

    private final int bytesMax;
    private final BodyBudget.Charge charge;
    private int produced;

    LayerBudget(int bytesMax, BodyBudget.Charge charge) {
        this.bytesMax = bytesMax;
        this.charge = charge;
    }

    int remaining() {
        return bytesMax - produced;
    }

    byte[] allocate(int size) {
        charge.take(size);
        return new byte[size];
    }

    /** A larger copy; one byte more than may remain is enough to notice that there is too much. */
    byte[] grow(byte[] full) {
        if (full.length > remaining()) {
            throw tooLarge();
        }
        int size = (int) Math.min(2L * full.length + 64, (long) remaining() + 1);
        charge.take(size);
        byte[] grown = Arrays.copyOf(full, size);
        charge.give(full.length);
        return grown;
    }

    int[] allocateInts(int size) {
        charge.take(4L * size);
        return new int[size];
    }

    int[] growInts(int[] full) {
        int size = Math.addExact(Math.multiplyExact(full.length, 2), 16);
        charge.take(4L * size);
        int[] grown = Arrays.copyOf(full, size);
        charge.give(4L * full.length);
        return grown;
    }

    void releaseInts(int[] ints) {
        charge.give(4L * ints.length);
    }

    /** A layer is complete: what it read is garbage from here on, what it made counts. */
    Slice finish(byte[] made, int length, int bytesRead) {
        if (length > remaining()) {
            throw tooLarge();
        }
        produced += length;
        charge.give(bytesRead);
        return new Slice(made, 0, length);
    }

    private ProblemException tooLarge() {
        return new ProblemException(Problem.BODY_TOO_LARGE, "the body decodes to more than " + bytesMax + " bytes");
    }
}
