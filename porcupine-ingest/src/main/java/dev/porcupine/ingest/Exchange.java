package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One request and its one answer; whatever happens, its charge is given back and the outcome counted once. */
final class Exchange {

    private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

    private final PublicEndpoint endpoint;
    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final BodyBudget.Charge charge;
    private final long startedNanos = System.nanoTime();
    private long bytes;
    private boolean finished;

    Exchange(
            PublicEndpoint endpoint,
            HttpServletRequest request,
            HttpServletResponse response,
            BodyBudget.Charge charge) {
        this.endpoint = endpoint;
        this.request = request;
        this.response = response;
        this.charge = charge;
    }

    BodyBudget.Charge charge() {
        return charge;
    }

    /** Notes bytes that came in on the body. */
    void count(int more) {
        bytes += more;
    }

    boolean isFinished() {
        return finished;
    }

    /**
     * Answers.
     *
     * @param early the answer if it is known without the endpoint
     * @param last whether the connection can't be used again
     */
    void finish(@Nullable HttpAnswer early, Supplier<Slice> body, boolean last) {
        if (finished) {
            return;
        }
        finished = true;
        try {
            HttpAnswer answer = early != null ? early : ask(body);
            endpoint.answered(answer.problem(), bytes, System.nanoTime() - startedNanos);
            answer.write(response, last);
        } catch (IOException e) {
            LOG.debug("A client went away before its answer", e);
        } finally {
            charge.close();
        }
    }

    /** The connection broke, or what came was no valid HTTP body; the client is told, if it can still hear it. */
    void abort() {
        if (finished) {
            return;
        }
        finished = true;
        charge.close();
        endpoint.aborted(bytes);
        try {
            HttpAnswer.problem(
                            Problem.BODY_UNREADABLE,
                            "the request's body ended before its end, or is no valid HTTP body")
                    .write(response, true);
        } catch (IOException e) {
            LOG.debug("A client went away while it sent its body", e);
        }
    }

    private HttpAnswer ask(Supplier<Slice> body) {
        try {
            return endpoint.answer(PublicRequest.of(request, body), charge);
        } catch (ProblemException e) {
            return HttpAnswer.problem(e.problem(), e.detail());
        } catch (RuntimeException e) {
            LOG.error("A request to {} failed; the client was told to try again", request.getServletPath(), e);
            return HttpAnswer.problem(Problem.INTERNAL, "the failure is in the service's log");
        }
    }
}
