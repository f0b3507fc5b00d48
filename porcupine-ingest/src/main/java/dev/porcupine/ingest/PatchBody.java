package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.Ticker;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Reads the body of a patch: as large as one event may be, within the time that a body may take. The container ends a read that brings nothing;
 * the clock here ends a body that comes byte by byte.
 */
final class PatchBody {

    private static final int FIRST_BYTES = 4 * 1024;

    private PatchBody() {}

    /**
     * @param charge pays for what is read, before it is allocated
     * @throws ProblemException when it is too large, too slow, or breaks off
     */
    static Slice read(InputStream in, CaptureLimits limits, BodyBudget.Charge charge, Ticker ticker) {
        long start = ticker.nanos();
        int bytesMax = limits.eventBytesMax();
        byte[] body = {};
        int length = 0;
        try {
            while (true) {
                if (length == body.length) {
                    int size = (int) Math.min(Math.max(FIRST_BYTES, 2L * body.length), bytesMax + 1L);
                    charge.take(size);
                    body = Arrays.copyOf(body, size);
                }
                int n = in.read(body, length, body.length - length);
                if (n < 0) {
                    return new Slice(body, 0, length);
                }
                length += n;
                if (length > bytesMax) {
                    throw new ProblemException(Problem.BODY_TOO_LARGE, "a patch may have " + bytesMax + " bytes");
                }
                if (ticker.nanos() - start > limits.bodyDeadline().toNanos()) {
                    throw new ProblemException(Problem.BODY_TOO_SLOW, "the whole body must arrive in time");
                }
            }
        } catch (IOException e) {
            throw new ProblemException(Problem.BODY_UNREADABLE, "the body broke off or stood still");
        }
    }
}
