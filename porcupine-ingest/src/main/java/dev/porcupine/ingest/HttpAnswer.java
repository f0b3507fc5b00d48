package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemJson;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * An answer of a public endpoint.
 *
 * @param problem what it refuses, if it does
 * @param contentType null for no body
 */
record HttpAnswer(
        int status,
        @Nullable Problem problem,
        @Nullable String contentType,
        String body,
        @Nullable String allow) {

    private static final String JSON = "application/json";
    private static final String TEXT = "text/plain;charset=utf-8";

    static HttpAnswer json(String body) {
        return new HttpAnswer(HttpServletResponse.SC_OK, null, JSON, body, null);
    }

    static HttpAnswer text(int status, String body) {
        return new HttpAnswer(status, null, TEXT, body, null);
    }

    static HttpAnswer noContent() {
        return new HttpAnswer(HttpServletResponse.SC_NO_CONTENT, null, null, "", null);
    }

    static HttpAnswer problem(Problem problem, String detail) {
        return new HttpAnswer(
                problem.status(), problem, ProblemJson.MEDIA_TYPE, ProblemJson.text(problem, detail), null);
    }

    static HttpAnswer methodNotAllowed(String allow) {
        Problem problem = Problem.METHOD_NOT_ALLOWED;
        return new HttpAnswer(
                problem.status(),
                problem,
                ProblemJson.MEDIA_TYPE,
                ProblemJson.text(problem, "allowed here: " + allow),
                allow);
    }

    /** @param last whether the connection can't be used for another request, because the rest of this one was not read */
    void write(HttpServletResponse response, boolean last) throws IOException {
        response.setStatus(status);
        response.setHeader("Cache-Control", "no-store");
        if (problem != null && problem.retryable()) {
            response.setHeader("Retry-After", Integer.toString(ProblemJson.RETRY_AFTER_SECONDS));
        }
        if (allow != null) {
            response.setHeader("Allow", allow);
        }
        if (last) {
            response.setHeader("Connection", "close");
        }
        if (contentType != null) {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            response.setContentType(contentType);
            response.setContentLength(bytes.length);
            response.getOutputStream().write(bytes);
        }
        response.flushBuffer();
    }
}
