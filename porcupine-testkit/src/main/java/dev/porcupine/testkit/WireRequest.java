package dev.porcupine.testkit;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** A request that reached a {@link FaultProxy}, for choosing which requests a fault meets. */
public final class WireRequest {

    private final WireMessage message;

    WireRequest(WireMessage message) {
        this.message = message;
    }

    public String method() {
        return message.startLine().split(" ", 3)[0];
    }

    /** Path and query as sent. */
    public String target() {
        return message.startLine().split(" ", 3)[1];
    }

    public Optional<String> header(String name) {
        return message.header(name);
    }

    /** Without transfer coding; a content coding is still on. */
    public byte[] body() {
        return message.body().clone();
    }

    /** Whether target or body contain the text, as for the marker comment of a probe. */
    public boolean mentions(String text) {
        return target().contains(text) || new String(message.body(), StandardCharsets.UTF_8).contains(text);
    }

    WireMessage message() {
        return message;
    }

    @Override
    public String toString() {
        return message.startLine() + " with " + message.body().length + " bytes";
    }
}
