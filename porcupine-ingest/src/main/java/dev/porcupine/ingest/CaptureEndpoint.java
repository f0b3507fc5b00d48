package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** PostHog's v0 capture protocol: any shape of body on any of its paths. */
final class CaptureEndpoint implements PublicEndpoint {

    private static final Set<String> METHODS = Set.of("GET", "POST");

    private final Capture capture;
    private final CaptureMetrics metrics;
    private final int bodyBytesMax;
    private final boolean engage;

    /** @param engage whether this is Mixpanel's path for setting a person's properties */
    CaptureEndpoint(Capture capture, CaptureMetrics metrics, CaptureLimits limits, boolean engage) {
        this.capture = capture;
        this.metrics = metrics;
        this.bodyBytesMax = limits.wireBytesMax();
        this.engage = engage;
    }

    @Override
    public Set<String> methods() {
        return METHODS;
    }

    @Override
    public int bodyBytesMax() {
        return bodyBytesMax;
    }

    @Override
    public HttpAnswer answer(PublicRequest request, BodyBudget.Charge charge) {
        CaptureQuery query = CaptureQuery.parse(request.query());
        return switch (capture.answer(request, query, engage, charge)) {
            case CaptureAnswer.Stored _ when query.beacon() -> HttpAnswer.noContent();
            case CaptureAnswer.Stored stored -> HttpAnswer.json(stored.json());
            case CaptureAnswer.Refused refused -> HttpAnswer.problem(refused.problem(), refused.detail());
        };
    }

    @Override
    public void answered(@Nullable Problem problem, long bytes, long nanos) {
        metrics.answered(problem, bytes, nanos);
    }

    @Override
    public void aborted(long bytes) {
        metrics.aborted(bytes);
    }
}
