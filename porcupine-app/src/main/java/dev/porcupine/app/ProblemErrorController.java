package dev.porcupine.app;

import dev.porcupine.schema.Problem;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.RequestMapping;

/** Answers for what failed outside of Spring MVC, in filters for example: the same problem+json, nothing of the cause. */
@Controller
final class ProblemErrorController implements ErrorController {

    @RequestMapping("${spring.web.error.path:/error}")
    void error(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Object status = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
        // Asked for by its address, outside of any error, this page does not exist.
        Problem problem = status instanceof Integer code ? ProblemAdvice.problemOf(code) : Problem.NOT_FOUND;
        ProblemAnswer.write(response, problem, "");
    }
}
