package dev.porcupine.schema;

/**
 * Ends a request with a {@link Problem}. The message is sent to the client: it says what was wanted and what was found, and never
 * holds a payload, a password or a stack trace.
 */
public final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final Problem problem;

    public ProblemException(Problem problem, String detail) {
        super(detail, null, false, false);
        this.problem = problem;
    }

    public Problem problem() {
        return problem;
    }

    /** What the client reads beside the problem's title. */
    public String detail() {
        String message = getMessage();
        return message == null ? "" : message;
    }
}
