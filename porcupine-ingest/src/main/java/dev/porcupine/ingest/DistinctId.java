package dev.porcupine.ingest;

import java.nio.charset.StandardCharsets;

/** Whose event it is, as PostHog's server makes it from what clients send. */
final class DistinctId {

    /** In characters as people count them, not UTF-16 units. */
    private static final int CODE_POINTS_MAX = 200;

    private DistinctId() {}

    /** Text of at most 200 characters; empty when there is none, or only white space. */
    static String of(byte[] text, EventFields fields) {
        for (int field :
                new int[] {EventFields.DISTINCT_ID, EventFields.DOLLAR_DISTINCT_ID, EventFields.PROPERTY_DISTINCT_ID}) {
            if (fields.is(field, JsonScanner.STRING)) {
                return normal(fields.string(text, field));
            }
            if (fields.hasValue(field)) {
                // A number, an object: its JSON text is as good a name.
                int length = fields.to(field) - fields.from(field);
                return normal(new String(text, fields.from(field), length, StandardCharsets.UTF_8));
            }
        }
        return "";
    }

    private static String normal(String raw) {
        String id = raw.indexOf('\0') < 0 ? raw : raw.replace('\0', '\uFFFD');
        if (id.length() > CODE_POINTS_MAX && id.codePointCount(0, id.length()) > CODE_POINTS_MAX) {
            id = id.substring(0, id.offsetByCodePoints(0, CODE_POINTS_MAX));
        }
        return isBlank(id) ? "" : id;
    }

    /** {@link String#isBlank} takes a no-break space for text. */
    private static boolean isBlank(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!Character.isWhitespace(c) && !Character.isSpaceChar(c) && c != '\u0085') {
                return false;
            }
        }
        return true;
    }
}
