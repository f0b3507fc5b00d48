package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The condition of RFC 9110's {@code If-Match}. A revision's entity tag is its number in quotes.
 *
 * @param any whether every revision will do: no header, or {@code *}
 * @param tags what stands between the quotes of the strong tags; a weak one matches nothing
 */
record IfMatch(boolean any, Set<String> tags) {

    static final IfMatch ANY = new IfMatch(true, Set.of());

    private static final int LENGTH_MAX = 1_000;

    /** @throws ProblemException when it is no list of entity tags */
    static IfMatch parse(@Nullable String header) {
        if (header == null || header.strip().equals("*")) {
            return ANY;
        }
        if (header.length() > LENGTH_MAX) {
            throw malformed();
        }
        Set<String> tags = new HashSet<>();
        for (String element : header.split(",", -1)) {
            String tag = element.strip();
            boolean weak = tag.startsWith("W/");
            String quoted = weak ? tag.substring(2) : tag;
            if (quoted.length() < 2
                    || !quoted.startsWith("\"")
                    || !quoted.endsWith("\"")
                    || quoted.indexOf('"', 1) != quoted.length() - 1) {
                throw malformed();
            }
            if (!weak) {
                tags.add(quoted.substring(1, quoted.length() - 1));
            }
        }
        return new IfMatch(false, tags);
    }

    boolean holds(long revision) {
        return any || tags.contains(Long.toString(revision));
    }

    private static ProblemException malformed() {
        return new ProblemException(
                Problem.PARAMETER_INVALID, "If-Match must be * or quoted revisions such as \"3\", separated by commas");
    }
}
