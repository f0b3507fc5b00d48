package dev.porcupine.schema;

/** A {@link Problem} as the JSON text of RFC 9457, the same wherever a request is refused. */
public final class ProblemJson {

    public static final String MEDIA_TYPE = "application/problem+json";

    /**
     * What {@code Retry-After} says on every retryable refusal, in whole seconds: most SDKs wait that long instead of giving the batch up
     * after their own second or less.
     */
    public static final int RETRY_AFTER_SECONDS = 5;

    private static final String TYPE_PREFIX = "urn:porcupine:problem:";

    private ProblemJson() {}

    /**
     * @param detail what was wanted and what was found, without payload
     */
    public static String text(Problem problem, String detail) {
        StringBuilder json = new StringBuilder(160 + detail.length());
        json.append("{\"type\":\"").append(TYPE_PREFIX).append(problem.code()).append("\",\"title\":");
        quote(json, problem.title());
        json.append(",\"status\":").append(problem.status()).append(",\"detail\":");
        quote(json, detail);
        return json.append(",\"code\":\"")
                .append(problem.code())
                .append("\",\"retryable\":")
                .append(problem.retryable())
                .append('}')
                .toString();
    }

    private static void quote(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> json.append("\\\"");
                case '\\' -> json.append("\\\\");
                default -> {
                    if (c < ' ' || (Character.isSurrogate(c) && !paired(text, i))) {
                        json.append("\\u").append(String.format("%04x", (int) (c < ' ' ? c : '\uFFFD')));
                    } else {
                        json.append(c);
                    }
                }
            }
        }
        json.append('"');
    }

    private static boolean paired(String text, int i) {
        char c = text.charAt(i);
        return Character.isHighSurrogate(c)
                ? i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))
                : i > 0 && Character.isHighSurrogate(text.charAt(i - 1));
    }
}
