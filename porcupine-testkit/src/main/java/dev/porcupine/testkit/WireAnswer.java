package dev.porcupine.testkit;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** An HTTP answer that a test makes up or changes. {@code Content-Length} is the proxy's business. */
public final class WireAnswer {

    private static final Set<String> FRAMING = Set.of("content-length", "transfer-encoding");

    private final int status;
    private final Map<String, String> headers;
    private final byte[] body;

    private WireAnswer(int status, Map<String, String> headers, byte[] body) {
        this.status = status;
        this.headers = headers;
        this.body = body;
    }

    public static WireAnswer of(int status, String contentType, String body) {
        return new WireAnswer(status, Map.of("Content-Type", contentType), body.getBytes(StandardCharsets.UTF_8));
    }

    static WireAnswer of(WireMessage answer) {
        Map<String, String> headers = new LinkedHashMap<>();
        answer.headText().lines().skip(1).filter(line -> !line.isEmpty()).forEach(line -> {
            int colon = line.indexOf(':');
            String name = line.substring(0, colon);
            if (!FRAMING.contains(name.toLowerCase(Locale.ROOT))) {
                headers.put(name, line.substring(colon + 1).strip());
            }
        });
        return new WireAnswer(answer.status(), headers, answer.body());
    }

    public WireAnswer withStatus(int other) {
        return new WireAnswer(other, headers, body);
    }

    public WireAnswer withHeader(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.keySet().removeIf(known -> known.equalsIgnoreCase(name));
        more.put(name, value);
        return new WireAnswer(status, more, body);
    }

    public WireAnswer withBody(String other) {
        return withBody(other.getBytes(StandardCharsets.UTF_8));
    }

    public WireAnswer withBody(byte[] other) {
        return new WireAnswer(status, headers, other.clone());
    }

    public int status() {
        return status;
    }

    public byte[] body() {
        return body.clone();
    }

    public String bodyText() {
        return new String(body, StandardCharsets.UTF_8);
    }

    byte[] wire() {
        StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " Scripted\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        head.append("Content-Length: ").append(body.length).append("\r\n\r\n");
        byte[] headBytes = head.toString().getBytes(StandardCharsets.ISO_8859_1);
        byte[] whole = new byte[headBytes.length + body.length];
        System.arraycopy(headBytes, 0, whole, 0, headBytes.length);
        System.arraycopy(body, 0, whole, headBytes.length, body.length);
        return whole;
    }

    @Override
    public String toString() {
        return status + " with " + body.length + " bytes";
    }
}
