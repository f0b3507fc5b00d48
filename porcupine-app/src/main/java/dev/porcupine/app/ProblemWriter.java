package dev.porcupine.app;

import dev.porcupine.schema.Problem;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import tools.jackson.databind.json.JsonMapper;

/** Writes a {@link Problem} as RFC 9457 problem+json: one shape for every refusal, whoever noticed it. */
final class ProblemWriter {

    /** Seconds; long enough that a batch or two is delivered meanwhile, short enough that SDKs don't give up. */
    static final String RETRY_AFTER_SECONDS = "5";

    private final JsonMapper json;

    ProblemWriter(JsonMapper json) {
        this.json = json;
    }

    void write(HttpServletResponse response, Problem problem, String detail) throws IOException {
        response.setStatus(problem.status());
        if (problem.retryable()) {
            response.setHeader(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS);
        }
        byte[] body = json.writeValueAsBytes(fields(problem, detail));
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        response.setCharacterEncoding(StandardCharsets.UTF_8);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    private static Map<String, Object> fields(Problem problem, String detail) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("type", "about:blank");
        fields.put("title", problem.title());
        fields.put("status", problem.status());
        if (!detail.isEmpty()) {
            fields.put("detail", detail);
        }
        fields.put("code", problem.code());
        fields.put("retryable", problem.retryable());
        return fields;
    }
}
