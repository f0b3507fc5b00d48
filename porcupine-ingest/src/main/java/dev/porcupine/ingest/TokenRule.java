package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of one request. They must all be the same, or an event could reach a project that is not its own; only an envelope's token
 * stands above those of its events.
 */
final class TokenRule {

    private static final int LENGTH_MAX = 64;
    private static final String PERSONAL_KEY_PREFIX = "phx_";

    private @Nullable String token;
    private byte[] lastText = {};
    private int lastFrom;
    private int lastTo;
    private boolean different;
    private boolean notText;

    /** Notes the token fields of one object; those of the properties count only when the object has none itself. */
    void see(byte[] text, EventFields fields) {
        boolean own = see(text, fields, EventFields.API_KEY);
        own |= see(text, fields, EventFields.TOKEN);
        own |= see(text, fields, EventFields.DOLLAR_TOKEN);
        if (!own) {
            see(text, fields, EventFields.PROPERTY_TOKEN);
        }
    }

    private boolean see(byte[] text, EventFields fields, int field) {
        if (!fields.hasValue(field)) {
            return false;
        }
        if (!fields.is(field, JsonScanner.STRING)) {
            notText = true;
            return true;
        }
        int from = fields.from(field);
        int to = fields.to(field);
        if (!Arrays.equals(text, from, to, lastText, lastFrom, lastTo)) {
            lastText = text;
            lastFrom = from;
            lastTo = to;
            String found = trimmed(fields.string(text, field));
            different |= token != null && !token.equals(found);
            token = found;
        }
        return true;
    }

    /** Whether any token was found, right or wrong. */
    boolean isPresent() {
        return token != null || notText;
    }

    /** @throws ProblemException when there is no token, or none that can be one */
    String required() {
        if (different) {
            throw new ProblemException(Problem.TOKEN_INVALID, "the request names more than one project token");
        }
        if (notText) {
            throw new ProblemException(Problem.TOKEN_INVALID, "the project token is not a string");
        }
        if (token == null || token.isEmpty()) {
            throw new ProblemException(
                    Problem.TOKEN_MISSING, "send the project token as \"api_key\" or \"token\", beside the events");
        }
        return checked(token);
    }

    /** @throws ProblemException when the text can't be a project token */
    static String checked(String token) {
        if (token.startsWith(PERSONAL_KEY_PREFIX)) {
            throw new ProblemException(Problem.TOKEN_INVALID, "a personal API key can't be used to send events");
        }
        boolean printable = token.chars().allMatch(c -> c > 0 && c < 0x80);
        if (token.length() > LENGTH_MAX || !printable) {
            throw new ProblemException(
                    Problem.TOKEN_INVALID, "a project token is at most " + LENGTH_MAX + " ASCII characters");
        }
        return token;
    }

    static String trimmed(String token) {
        return token.strip();
    }
}
