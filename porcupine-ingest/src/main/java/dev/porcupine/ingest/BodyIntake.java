package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads a body as it arrives, without a thread that waits for it: two hundred clients that send a byte a second must not stop the
 * service. A body that is refused is still read for a while, because a client that is cut off while it sends sees a broken connection
 * instead of the answer, and tries again.
 *
 * <p>The container calls one method at a time.
 */
final class BodyIntake implements ReadListener, AsyncListener {

    private static final int FIRST_BYTES = 16 * 1024;
    private static final int DRAIN_STEP_BYTES = 8 * 1024;

    private final Exchange exchange;
    private final AsyncContext async;
    private final ServletInputStream input;
    private final int bytesMax;
    private byte[] body = {};
    private int length;
    private @Nullable HttpAnswer refusal;
    private long drained;

    /** @param refusal the answer when it is known from the request's head, so that the body is only read away */
    BodyIntake(
            Exchange exchange,
            AsyncContext async,
            ServletInputStream input,
            int bytesMax,
            @Nullable HttpAnswer refusal) {
        this.exchange = exchange;
        this.async = async;
        this.input = input;
        this.bytesMax = bytesMax;
        this.refusal = refusal;
    }

    static HttpAnswer tooLarge(int bytesMax) {
        return HttpAnswer.problem(Problem.BODY_TOO_LARGE, "a body may have " + bytesMax + " bytes as sent");
    }

    @Override
    public void onDataAvailable() throws IOException {
        while (!exchange.isFinished() && input.isReady()) {
            int n = refusal == null ? readOn() : readAway();
            if (n < 0) {
                return;
            }
            exchange.count(n);
        }
    }

    private int readOn() throws IOException {
        if (length == body.length) {
            try {
                grow();
            } catch (ProblemException e) {
                refuse(HttpAnswer.problem(e.problem(), e.detail()));
                return 0;
            }
        }
        int n = input.read(body, length, body.length - length);
        if (n > 0) {
            length += n;
            if (length > bytesMax) {
                refuse(tooLarge(bytesMax));
            }
        }
        return n;
    }

    /** Doubles, up to one byte more than is allowed. */
    private void grow() {
        int size = (int) Math.min(Math.max(FIRST_BYTES, 2L * body.length), bytesMax + 1L);
        exchange.charge().take(size);
        body = Arrays.copyOf(body, size);
        exchange.charge().give(length);
    }

    private int readAway() throws IOException {
        int n = input.read(new byte[DRAIN_STEP_BYTES]);
        drained += Math.max(n, 0);
        if (drained > bytesMax) {
            finish(true);
        }
        return n;
    }

    private void refuse(HttpAnswer answer) {
        refusal = answer;
        body = new byte[0];
        length = 0;
    }

    @Override
    public void onAllDataRead() {
        finish(false);
    }

    /** The connection broke. */
    @Override
    public void onError(Throwable failure) {
        abort();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        if (refusal == null) {
            refuse(HttpAnswer.problem(Problem.BODY_TOO_SLOW, "the whole body must arrive in time"));
        }
        finish(true);
    }

    @Override
    public void onError(AsyncEvent event) {
        abort();
    }

    @Override
    public void onComplete(AsyncEvent event) {
        exchange.abort(); // nothing, if it was answered
    }

    @Override
    public void onStartAsync(AsyncEvent event) {}

    private void abort() {
        if (exchange.isFinished()) {
            return;
        }
        try {
            exchange.abort();
        } finally {
            async.complete();
        }
    }

    private Slice takeBody() {
        Slice read = new Slice(body, 0, length);
        body = new byte[0];
        return read;
    }

    private void finish(boolean last) {
        if (exchange.isFinished()) {
            return;
        }
        try {
            exchange.finish(refusal, this::takeBody, last);
        } finally {
            async.complete();
        }
    }
}
