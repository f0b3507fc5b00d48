package dev.porcupine.ingest;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What a JSON string that {@link JsonScanner} has passed says. */
final class JsonText {

    private JsonText() {}

    /** The text between the quotes. */
    static String decode(byte[] text, int from, int to, boolean escaped) {
        if (!escaped) {
            return new String(text, from + 1, to - from - 2, StandardCharsets.UTF_8);
        }
        byte[] plain = unescape(text, from, to);
        return new String(plain, StandardCharsets.UTF_8);
    }

    /** The UTF-8 between the quotes; an escape is never shorter than what it stands for. */
    static byte[] unescape(byte[] text, int from, int to) {
        byte[] plain = new byte[to - from - 2];
        int n = 0;
        int i = from + 1;
        while (i < to - 1) {
            byte b = text[i];
            if (b != '\\') {
                plain[n++] = b;
                i++;
                continue;
            }
            byte kind = text[i + 1];
            if (kind != 'u') {
                plain[n++] = simple(kind);
                i += 2;
                continue;
            }
            int point = hex4(text, i + 2, to);
            i += 6;
            if (point >= 0xD800 && point <= 0xDBFF) {
                point = Character.toCodePoint((char) point, (char) hex4(text, i + 2, to));
                i += 6;
            }
            n += Utf8.write(point, plain, n);
        }
        return Arrays.copyOf(plain, n);
    }

    /** Four hexadecimal digits; -1 when they are not. */
    static int hex4(byte[] text, int at, int end) {
        if (end - at < 4) {
            return -1;
        }
        int value = 0;
        for (int i = 0; i < 4; i++) {
            int digit = hexDigit(text[at + i]);
            if (digit < 0) {
                return -1;
            }
            value = value << 4 | digit;
        }
        return value;
    }

    private static int hexDigit(byte b) {
        if (b >= '0' && b <= '9') {
            return b - '0';
        }
        int letter = b | 0x20;
        return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
    }

    private static byte simple(byte kind) {
        return switch (kind) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            default -> kind;
        };
    }
}
