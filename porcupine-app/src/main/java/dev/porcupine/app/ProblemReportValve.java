package dev.porcupine.app;

import dev.porcupine.schema.ProblemJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;

/** Answers what Tomcat refuses before any of our code sees it, malformed requests above all: problem+json instead of its page. */
final class ProblemReportValve extends ErrorReportValve {

    private static final int FIRST_ERROR = 400;

    @Override
    protected void report(Request request, Response response, Throwable throwable) {
        boolean answered = response.getContentWritten() > 0 || !response.setErrorReported();
        if (response.getStatus() < FIRST_ERROR || answered) {
            return;
        }
        // The status stays Tomcat's: 505 says more than our 500.
        byte[] body = ProblemJson.text(ProblemAdvice.problemOf(response.getStatus()), "The request is malformed.")
                .getBytes(StandardCharsets.UTF_8);
        try {
            response.setContentType(ProblemJson.MEDIA_TYPE);
            response.setContentLength(body.length);
            response.getOutputStream().write(body);
            response.finishResponse();
        } catch (IOException gone) {
            // Whoever sent it has left.
        }
    }
}
