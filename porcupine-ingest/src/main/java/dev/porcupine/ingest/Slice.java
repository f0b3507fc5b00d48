package dev.porcupine.ingest;

/**
 * Bytes from {@code from} to before {@code to} of an array that the request owns.
 */
@SuppressWarnings("ArrayRecordComponent") // a window on a buffer, never compared
record Slice(byte[] bytes, int from, int to) {

    static final Slice EMPTY = of(new byte[0]);

    static Slice of(byte[] bytes) {
        return new Slice(bytes, 0, bytes.length);
    }

    int length() {
        return to - from;
    }

    boolean isEmpty() {
        return from == to;
    }

    /** Without JSON's white space at either end. */
    Slice trimmed() {
        int first = from;
        int last = to;
        while (first < last && isSpace(bytes[first])) {
            first++;
        }
        while (first < last && isSpace(bytes[last - 1])) {
            last--;
        }
        return new Slice(bytes, first, last);
    }

    /** Whether the first byte after white space can only begin a JSON object or array. */
    boolean looksLikeJson() {
        Slice text = trimmed();
        return !text.isEmpty() && (bytes[text.from] == '{' || bytes[text.from] == '[');
    }

    static boolean isSpace(byte b) {
        return b == ' ' || b == '\n' || b == '\r' || b == '\t';
    }
}
