package dev.porcupine.app;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;

/** What a controller or Spring itself refused, as problem+json; what nobody expected, as 500 without its inner workings. */
@RestControllerAdvice
final class ProblemAdvice {

    private static final Logger log = LoggerFactory.getLogger(ProblemAdvice.class);

    @ExceptionHandler
    void refused(ProblemException refusal, HttpServletResponse response) throws IOException {
        if (!response.isCommitted()) {
            ProblemAnswer.write(response, refusal.problem(), refusal.detail());
        }
    }

    @ExceptionHandler
    void unexpected(Exception failure, HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (failure instanceof AsyncRequestNotUsableException) {
            return; // the client has gone; there is nobody to answer
        }
        if (response.isCommitted()) {
            log.warn("{} {} failed after its answer had begun", request.getMethod(), path(request), failure);
            return;
        }
        if (failure instanceof ErrorResponse spring && spring.getStatusCode().is4xxClientError()) {
            String allow = spring.getHeaders().getFirst(HttpHeaders.ALLOW);
            if (allow != null) {
                response.setHeader(HttpHeaders.ALLOW, allow);
            }
            ProblemAnswer.write(response, problemOf(spring.getStatusCode().value()), detail(request));
            return;
        }
        if (failure instanceof HttpMessageNotReadableException) {
            ProblemAnswer.write(
                    response, Problem.PARAMETER_INVALID, "The body is not the JSON that this address takes.");
            return;
        }
        log.error("{} {} failed", request.getMethod(), path(request), failure);
        ProblemAnswer.write(response, Problem.INTERNAL, "The log of the service says what.");
    }

    /** The problem that stands for a status which Spring or the container chose. */
    static Problem problemOf(int status) {
        return switch (status) {
            case 404 -> Problem.NOT_FOUND;
            case 405 -> Problem.METHOD_NOT_ALLOWED;
            case 408 -> Problem.BODY_TOO_SLOW;
            case 413 -> Problem.BODY_TOO_LARGE;
            case 415 -> Problem.MEDIA_TYPE_UNSUPPORTED;
            case 503 -> Problem.OVERLOADED;
            default -> status >= 500 ? Problem.INTERNAL : Problem.PARAMETER_INVALID;
        };
    }

    private static String detail(HttpServletRequest request) {
        return request.getMethod() + " " + path(request);
    }

    /** Without the query, which may hold a token or an event. */
    private static String path(HttpServletRequest request) {
        return request.getRequestURI();
    }
}
