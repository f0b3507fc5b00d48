package dev.porcupine.history;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Collects a response up to a cap. Over it the exchange is cancelled at once, which closes the connection; nothing is drained. */
final class CappedBody implements BodySubscriber<ByteBuffer> {

    private final int bytesMax;
    private final List<ByteBuffer> received = new ArrayList<>();
    private final CompletableFuture<ByteBuffer> body = new CompletableFuture<>();
    private Flow.@Nullable Subscription subscription;
    private long bytes;

    CappedBody(int bytesMax) {
        this.bytesMax = bytesMax;
    }

    @Override
    public CompletionStage<ByteBuffer> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        this.subscription = subscription;
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        if (body.isDone()) {
            return;
        }
        for (ByteBuffer buffer : buffers) {
            bytes += buffer.remaining();
            received.add(buffer);
        }
        if (bytes > bytesMax) {
            received.clear();
            if (subscription != null) {
                subscription.cancel();
            }
            body.completeExceptionally(new OverCapException("the answer went over " + bytesMax + " bytes"));
        }
    }

    @Override
    public void onError(Throwable failure) {
        received.clear();
        body.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        if (body.isDone()) {
            return;
        }
        ByteBuffer whole = ByteBuffer.allocate((int) bytes);
        received.forEach(whole::put);
        received.clear();
        body.complete(whole.flip().asReadOnlyBuffer());
    }

    static final class OverCapException extends IOException {

        private static final long serialVersionUID = 1;

        OverCapException(String message) {
            super(message);
        }
    }
}
