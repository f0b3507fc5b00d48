package dev.porcupine.ingest;

import java.util.Set;
import java.util.function.Supplier;

/** Something whose answer doesn't depend on the request. */
final class FixedEndpoint implements PublicEndpoint {

    /** Enough that a client with something to say gets to hear the answer. */
    private static final int BODY_BYTES_MAX = 1 << 20;

    private final Set<String> methods;
    private final Supplier<HttpAnswer> answer;

    FixedEndpoint(Set<String> methods, Supplier<HttpAnswer> answer) {
        this.methods = methods;
        this.answer = answer;
    }

    @Override
    public Set<String> methods() {
        return methods;
    }

    @Override
    public int bodyBytesMax() {
        return BODY_BYTES_MAX;
    }

    @Override
    public HttpAnswer answer(PublicRequest request, BodyBudget.Charge charge) {
        return answer.get();
    }
}
