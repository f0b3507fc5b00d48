package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;

/**
 * A strict reader of one JSON document (RFC 8259) that finds where values begin and end and makes no objects of them: the ledger keeps
 * what the client wrote. Nothing here recurses, and nothing but a bit for each open container is kept, so no document can cost more
 * than its own bytes.
 *
 * <p>The text must be valid UTF-8. It is changed in one respect: an escape that is half of a surrogate pair stands for no character,
 * and becomes {@code \}{@code ufffd}, which is just as long.
 *
 * <p>Why not Jackson: its limits end a whole document where one event is too deep or too large, its contexts cost some fifty bytes for
 * each byte of {@code [[[[}, and it passes half pairs through. The tests use it to check this class.
 */
final class JsonScanner {

    static final byte OBJECT = '{';
    static final byte ARRAY = '[';
    static final byte STRING = '"';
    static final byte NUMBER = '0';
    static final byte TRUE = 't';
    static final byte FALSE = 'f';
    static final byte NULL = 'n';

    private static final byte[] REPLACEMENT = {'f', 'f', 'f', 'd'};

    private final byte[] text;
    private final int end;
    private final int nestingMax;
    private final long[] objects;
    private int at;

    private int from;
    private int to;
    private boolean escaped;
    private boolean tooDeep;

    JsonScanner(Slice document, int nestingMax) {
        this.text = document.bytes();
        this.at = document.from();
        this.end = document.to();
        this.nestingMax = nestingMax;
        this.objects = new long[nestingMax / Long.SIZE + 1];
    }

    byte[] text() {
        return text;
    }

    /** Where the name or value read last begins; a string's quote is part of it. */
    int from() {
        return from;
    }

    /** Where the name or value read last ends, exclusively. */
    int to() {
        return to;
    }

    /** Whether the string read last has an escape. */
    boolean escaped() {
        return escaped;
    }

    /** Where reading goes on. */
    int position() {
        return at;
    }

    /** Whether something was nested deeper than the limit since the last call. */
    boolean takeTooDeep() {
        boolean was = tooDeep;
        tooDeep = false;
        return was;
    }

    /** The first byte of what comes next. */
    byte peek() {
        while (at < end && Slice.isSpace(text[at])) {
            at++;
        }
        if (at == end) {
            throw new ProblemException(Problem.BODY_UNREADABLE, "the JSON document ends too soon");
        }
        return text[at];
    }

    /** Goes into the container that {@link #peek} has seen. */
    void enter() {
        at++;
    }

    /** @throws ProblemException when anything but white space follows */
    void finish() {
        while (at < end && Slice.isSpace(text[at])) {
            at++;
        }
        if (at != end) {
            throw unreadable();
        }
    }

    /** Reads up to the next member's value; false when the object is over. */
    boolean nextName(boolean first) {
        byte b = peek();
        if (b == '}') {
            at++;
            return false;
        }
        if (!first) {
            take((byte) ',');
            b = peek();
        }
        if (b != '"') {
            throw unreadable();
        }
        from = at;
        string();
        to = at;
        peek();
        take((byte) ':');
        return true;
    }

    /** Reads up to the next element; false when the array is over. */
    boolean nextElement(boolean first) {
        if (peek() == ']') {
            at++;
            return false;
        }
        if (!first) {
            take((byte) ',');
            peek();
        }
        return true;
    }

    /**
     * Reads one whole value.
     *
     * @param level how many containers it stands in, of those that count
     * @return its kind
     */
    byte value(int level) {
        byte kind = peek();
        int start = at;
        if (kind == OBJECT || kind == ARRAY) {
            container(level);
        } else {
            kind = scalar(kind);
        }
        from = start;
        to = at;
        return kind;
    }

    private void container(int level) {
        int depth = 0;
        while (true) {
            byte b = peek();
            if (b != OBJECT && b != ARRAY) {
                scalar(b);
            } else if (level + depth >= nestingMax) {
                tooDeep = true;
                skipUnread();
            } else {
                open(depth, b == OBJECT);
                depth++;
                at++;
                byte next = peek();
                if (next == (b == OBJECT ? '}' : ']')) {
                    at++;
                    depth--;
                } else {
                    if (b == OBJECT) {
                        name(next);
                    }
                    continue;
                }
            }
            depth = closeAfterValue(depth);
            if (depth == 0) {
                return;
            }
        }
    }

    /** Closes what ends here and stands before the next value; returns the depth, 0 when all is closed. */
    private int closeAfterValue(int open) {
        int depth = open;
        while (depth > 0) {
            boolean object = isObject(depth - 1);
            byte b = peek();
            at++;
            if (b == ',') {
                byte next = peek();
                if (object) {
                    name(next);
                } else if (next == ']') {
                    throw unreadable();
                }
                return depth;
            }
            if (b != (object ? '}' : ']')) {
                at--;
                throw unreadable();
            }
            depth--;
        }
        return 0;
    }

    private void name(byte first) {
        if (first != '"') {
            throw unreadable();
        }
        string();
        peek();
        take((byte) ':');
    }

    /** Passes a container by counting brackets. What is in it is refused whatever it says, so it need not be well-formed. */
    private void skipUnread() {
        int depth = 0;
        do {
            byte b = peek();
            switch (b) {
                case '"' -> {
                    string();
                    continue;
                }
                case OBJECT, ARRAY -> depth++;
                case '}', ']' -> depth--;
                default -> {}
            }
            at++;
        } while (depth > 0);
    }

    private byte scalar(byte first) {
        return switch (first) {
            case '"' -> {
                string();
                yield STRING;
            }
            case 't' -> literal("true", TRUE);
            case 'f' -> literal("false", FALSE);
            case 'n' -> literal("null", NULL);
            default -> number();
        };
    }

    private byte literal(String word, byte kind) {
        if (end - at < word.length()) {
            throw unreadable();
        }
        for (int i = 0; i < word.length(); i++) {
            if (text[at + i] != word.charAt(i)) {
                throw unreadable();
            }
        }
        at += word.length();
        return kind;
    }

    private byte number() {
        if (text[at] == '-') {
            at++;
        }
        if (at < end && text[at] == '0') {
            at++;
        } else {
            digits();
        }
        if (at < end && text[at] == '.') {
            at++;
            digits();
        }
        if (at < end && (text[at] == 'e' || text[at] == 'E')) {
            at++;
            if (at < end && (text[at] == '+' || text[at] == '-')) {
                at++;
            }
            digits();
        }
        return NUMBER;
    }

    private void digits() {
        int first = at;
        while (at < end && text[at] >= '0' && text[at] <= '9') {
            at++;
        }
        if (at == first) {
            throw unreadable();
        }
    }

    private void string() {
        byte[] bytes = text;
        int i = at + 1;
        escaped = false;
        while (i < end) {
            byte b = bytes[i];
            if (b == '"') {
                at = i + 1;
                return;
            }
            if (b == '\\') {
                escaped = true;
                i = escape(i);
            } else if ((b & 0xE0) == 0) {
                at = i;
                throw unreadable();
            } else {
                i++;
            }
        }
        at = end;
        throw unreadable();
    }

    private int escape(int backslash) {
        byte kind = backslash + 1 < end ? text[backslash + 1] : 0;
        switch (kind) {
            case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> {
                return backslash + 2;
            }
            case 'u' -> {
                int unit = JsonText.hex4(text, backslash + 2, end);
                if (unit >= 0) {
                    return pair(backslash, unit);
                }
            }
            default -> {}
        }
        at = backslash;
        throw unreadable();
    }

    private int pair(int backslash, int unit) {
        int next = backslash + 6;
        if (unit < 0xD800 || unit > 0xDFFF) {
            return next;
        }
        if (unit < 0xDC00 && next + 1 < end && text[next] == '\\' && text[next + 1] == 'u') {
            int low = JsonText.hex4(text, next + 2, end);
            if (low >= 0xDC00 && low <= 0xDFFF) {
                return next + 6;
            }
        }
        System.arraycopy(REPLACEMENT, 0, text, backslash + 2, REPLACEMENT.length);
        return next;
    }

    private void open(int depth, boolean object) {
        long bit = 1L << (depth % Long.SIZE);
        if (object) {
            objects[depth / Long.SIZE] |= bit;
        } else {
            objects[depth / Long.SIZE] &= ~bit;
        }
    }

    private boolean isObject(int depth) {
        return (objects[depth / Long.SIZE] & 1L << (depth % Long.SIZE)) != 0;
    }

    private void take(byte wanted) {
        if (text[at] != wanted) {
            throw unreadable();
        }
        at++;
    }

    private ProblemException unreadable() {
        return new ProblemException(
                Problem.BODY_UNREADABLE,
                at < end
                        ? "the body is not one JSON document: unexpected byte at " + at
                        : "the JSON document ends too soon");
    }
}
