package dev.porcupine.ingest;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Fields of {@code application/x-www-form-urlencoded} text, read without the servlet container: asking it for a parameter would
 * consume the body.
 */
final class FormFields {

    private static final String MEDIA_TYPE = "application/x-www-form-urlencoded";
    private static final int LOOK_BYTES = 256;

    private FormFields() {}

    /** With or without a charset suffix, which PostHog would not recognise. */
    static boolean isForm(@Nullable String contentType) {
        if (contentType == null) {
            return false;
        }
        int suffix = contentType.indexOf(';');
        String type = suffix < 0 ? contentType : contentType.substring(0, suffix);
        return type.strip().toLowerCase(Locale.ROOT).equals(MEDIA_TYPE);
    }

    /** Whether one of the first fields is one that a capture form has: its padding would else pass for Base64. */
    static boolean looksLikeForm(Slice text) {
        Slice head = new Slice(text.bytes(), text.from(), Math.min(text.to(), text.from() + LOOK_BYTES));
        return find(head, "data") != null || find(head, "compression") != null;
    }

    /** The field's text as it stands, still encoded; null when there is no such field. The last one counts. */
    static @Nullable Slice find(Slice text, String name) {
        Slice found = null;
        int at = text.from();
        while (at < text.to()) {
            int end = indexOf(text, '&', at);
            int equals = indexOf(text, '=', at);
            int nameEnd = Math.min(equals, end);
            if (matches(text.bytes(), at, nameEnd, name)) {
                found = new Slice(text.bytes(), Math.min(nameEnd + 1, end), end);
            }
            at = end + 1;
        }
        return found;
    }

    /** Undoes percent and plus; a percent sign that no two digits follow stays. */
    static Slice decoded(Slice field, LayerBudget budget) {
        byte[] out = budget.allocate(field.length());
        int n = decode(field, out);
        return budget.finish(out, n, 0);
    }

    static @Nullable String text(Slice text, String name) {
        Slice field = find(text, name);
        if (field == null) {
            return null;
        }
        byte[] out = new byte[field.length()];
        int n = decode(field, out);
        return new String(out, 0, n, StandardCharsets.UTF_8);
    }

    private static int decode(Slice field, byte[] out) {
        byte[] in = field.bytes();
        int n = 0;
        for (int i = field.from(); i < field.to(); i++) {
            byte b = in[i];
            if (b == '+') {
                b = ' ';
            } else if (b == '%' && i + 2 < field.to()) {
                int high = Character.digit(in[i + 1], 16);
                int low = Character.digit(in[i + 2], 16);
                if (high >= 0 && low >= 0) {
                    b = (byte) (high << 4 | low);
                    i += 2;
                }
            }
            out[n++] = b;
        }
        return n;
    }

    private static int indexOf(Slice text, char wanted, int from) {
        int i = from;
        while (i < text.to() && text.bytes()[i] != wanted) {
            i++;
        }
        return i;
    }

    private static boolean matches(byte[] bytes, int from, int to, String name) {
        if (to - from != name.length()) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            if (bytes[from + i] != name.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
