package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Serves one {@link PublicEndpoint}. A servlet of its own rather than a Spring handler: nothing in front of it may consume a form's body,
 * take offence at a content type, or hold a thread while a slow client sends.
 */
final class PublicServlet extends HttpServlet {

    private static final long serialVersionUID = 1;

    private final transient PublicEndpoint endpoint;
    private final transient BodyBudget budget;
    private final transient CaptureLimits limits;

    PublicServlet(PublicEndpoint endpoint, BodyBudget budget, CaptureLimits limits) {
        this.endpoint = endpoint;
        this.budget = budget;
        this.limits = limits;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Exchange exchange = new Exchange(endpoint, request, response, budget.open());
        HttpAnswer early = refusal(request);
        if (!hasBody(request)) {
            exchange.finish(early, () -> Slice.EMPTY, false);
            return;
        }
        AsyncContext async = request.startAsync();
        async.setTimeout(limits.bodyDeadline().toMillis());
        BodyIntake intake = new BodyIntake(exchange, async, request.getInputStream(), endpoint.bodyBytesMax(), early);
        async.addListener(intake);
        request.getInputStream().setReadListener(intake);
    }

    /** What the head alone is reason enough for. */
    private @Nullable HttpAnswer refusal(HttpServletRequest request) {
        if (!endpoint.methods().contains(request.getMethod())) {
            return HttpAnswer.methodNotAllowed(String.join(", ", new TreeSet<>(endpoint.methods())) + ", OPTIONS");
        }
        String encoding = request.getHeader("Content-Encoding");
        if (!Compression.isReadable(encoding)) {
            return HttpAnswer.problem(
                    Problem.MEDIA_TYPE_UNSUPPORTED, "the only Content-Encoding that can be read is gzip");
        }
        return request.getContentLengthLong() > endpoint.bodyBytesMax()
                ? BodyIntake.tooLarge(endpoint.bodyBytesMax())
                : null;
    }

    private static boolean hasBody(HttpServletRequest request) {
        long length = request.getContentLengthLong();
        return length > 0 || (length < 0 && request.getHeader("Transfer-Encoding") != null);
    }
}
