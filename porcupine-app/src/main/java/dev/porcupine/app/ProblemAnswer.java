package dev.porcupine.app;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemJson;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Answers a request with a {@link Problem}: one shape for every refusal, whoever noticed it. */
final class ProblemAnswer {

    private ProblemAnswer() {}

    static void write(HttpServletResponse response, Problem problem, String detail) throws IOException {
        byte[] body = ProblemJson.text(problem, detail).getBytes(StandardCharsets.UTF_8);
        response.setStatus(problem.status());
        if (problem.retryable()) {
            response.setIntHeader("Retry-After", ProblemJson.RETRY_AFTER_SECONDS);
        }
        response.setContentType(ProblemJson.MEDIA_TYPE);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
