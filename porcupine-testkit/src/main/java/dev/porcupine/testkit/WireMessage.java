package dev.porcupine.testkit;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One HTTP/1.1 message as it went over the wire, read whole. */
final class WireMessage {

    private static final int HEAD_BYTES_MAX = 1 << 20;
    private static final int BODY_BYTES_MAX = 256 << 20;

    private final byte[] head;
    private final byte[] rawBody;
    private final byte[] body;
    private final String headText;

    private WireMessage(byte[] head, byte[] rawBody, byte[] body) {
        this.head = head;
        this.rawBody = rawBody;
        this.body = body;
        this.headText = new String(head, StandardCharsets.ISO_8859_1);
    }

    /** Null where the peer closed between messages. */
    static @Nullable WireMessage readRequest(InputStream in, Continue expectation) throws IOException {
        byte[] head = readHead(in);
        if (head == null) {
            return null;
        }
        WireMessage bare = new WireMessage(head, new byte[0], new byte[0]);
        if (bare.header("expect").isPresent()) {
            expectation.send();
        }
        return bare.withBody(in, false);
    }

    static WireMessage readAnswer(InputStream in, String method) throws IOException {
        while (true) {
            byte[] head = readHead(in);
            if (head == null) {
                throw new EOFException("upstream closed without an answer");
            }
            WireMessage bare = new WireMessage(head, new byte[0], new byte[0]);
            int status = bare.status();
            if (status >= 200) {
                boolean bodiless = method.equals("HEAD") || status == 204 || status == 304;
                return bodiless ? bare : bare.withBody(in, true);
            }
        }
    }

    /** Tells a client that waits for it that its body is welcome. */
    @FunctionalInterface
    interface Continue {
        void send() throws IOException;
    }

    private WireMessage withBody(InputStream in, boolean untilCloseIfUnframed) throws IOException {
        if (header("transfer-encoding")
                .map(coding -> coding.toLowerCase(Locale.ROOT).contains("chunked"))
                .orElse(false)) {
            return readChunks(in);
        }
        Optional<String> length = header("content-length");
        if (length.isPresent()) {
            byte[] exact = readExactly(in, bounded(Long.parseLong(length.get())));
            return new WireMessage(head, exact, exact);
        }
        if (untilCloseIfUnframed) {
            byte[] rest = in.readNBytes(BODY_BYTES_MAX);
            return new WireMessage(head, rest, rest);
        }
        return this;
    }

    private WireMessage readChunks(InputStream in) throws IOException {
        ByteArrayOutputStream raw = new ByteArrayOutputStream();
        ByteArrayOutputStream decoded = new ByteArrayOutputStream();
        while (true) {
            String sizeLine = readLine(in, raw);
            int size = bounded(Long.parseLong(sizeLine.split(";", 2)[0].strip(), 16));
            if (size == 0) {
                // Trailers, then the empty line.
                while (!readLine(in, raw).isEmpty()) {
                    bounded(raw.size());
                }
                return new WireMessage(head, raw.toByteArray(), decoded.toByteArray());
            }
            byte[] chunk = readExactly(in, size);
            raw.writeBytes(chunk);
            decoded.writeBytes(chunk);
            bounded(decoded.size());
            readLine(in, raw);
        }
    }

    private static byte @Nullable [] readHead(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        int last4 = 0;
        while (head.size() < HEAD_BYTES_MAX) {
            int next = in.read();
            if (next < 0) {
                if (head.size() == 0) {
                    return null;
                }
                throw new EOFException("closed inside a message head");
            }
            head.write(next);
            last4 = last4 << 8 | next;
            if (last4 == 0x0d0a0d0a) {
                return head.toByteArray();
            }
        }
        throw new IOException("message head over " + HEAD_BYTES_MAX + " bytes");
    }

    private static String readLine(InputStream in, ByteArrayOutputStream raw) throws IOException {
        StringBuilder line = new StringBuilder();
        while (line.length() < HEAD_BYTES_MAX) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("closed inside a chunked body");
            }
            raw.write(next);
            if (next == '\n') {
                return line.toString().strip();
            }
            line.append((char) next);
        }
        throw new IOException("chunk line over " + HEAD_BYTES_MAX + " bytes");
    }

    private static byte[] readExactly(InputStream in, int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("closed after " + bytes.length + " of " + length + " body bytes");
        }
        return bytes;
    }

    private static int bounded(long size) throws IOException {
        if (size < 0 || size > BODY_BYTES_MAX) {
            throw new IOException("body of " + size + " bytes, at most " + BODY_BYTES_MAX);
        }
        return (int) size;
    }

    String startLine() {
        return headText.substring(0, headText.indexOf("\r\n"));
    }

    int status() {
        return Integer.parseInt(startLine().split(" ", 3)[1]);
    }

    /** The first header of that name. */
    Optional<String> header(String name) {
        return headText.lines()
                .skip(1)
                .filter(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst();
    }

    String headText() {
        return headText;
    }

    /** Without transfer coding. */
    byte[] body() {
        return body;
    }

    /** Exactly as it came. */
    byte[] wire() {
        byte[] whole = new byte[head.length + rawBody.length];
        System.arraycopy(head, 0, whole, 0, head.length);
        System.arraycopy(rawBody, 0, whole, head.length, rawBody.length);
        return whole;
    }

    /** As it came, but without the line that asks for an interim answer which the proxy has given. */
    byte[] wireWithoutExpectation() {
        if (header("expect").isEmpty()) {
            return wire();
        }
        byte[] newHead = headText.replaceFirst("(?i)\r\nexpect:[^\r]*", "").getBytes(StandardCharsets.ISO_8859_1);
        return new WireMessage(newHead, rawBody, body).wire();
    }
}
