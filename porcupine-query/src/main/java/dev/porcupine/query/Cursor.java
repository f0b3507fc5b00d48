package dev.porcupine.query;

import dev.porcupine.history.EventQuery.Position;
import dev.porcupine.schema.EventUuid;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/**
 * A position as clients carry it: base64url of a version byte, the timestamp's microseconds and the uuid. Opaque to them, so that it
 * can change; it holds no secret and grants nothing.
 */
final class Cursor {

    private static final byte VERSION = 1;
    private static final int BYTES = 1 + Long.BYTES + EventUuid.BYTES;

    /** Three bytes make four characters; no padding. */
    private static final int TEXT_LENGTH = (BYTES * 4 + 2) / 3;

    private Cursor() {}

    static String encode(Position position) {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES)
                .put(VERSION)
                .putLong(position.timestampMicros())
                .put(position.uuid().toBytes());
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    }

    /** Empty for everything that {@link #encode} could not have made. */
    static Optional<Position> decode(String text) {
        if (text.length() != TEXT_LENGTH) {
            return Optional.empty();
        }
        byte[] bytes;
        try {
            bytes = Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
        // A lenient decoder drops stray low bits, and padding would change the length.
        boolean canonical = bytes.length == BYTES
                && Base64.getUrlEncoder().withoutPadding().encodeToString(bytes).equals(text);
        if (!canonical || bytes[0] != VERSION) {
            return Optional.empty();
        }
        long micros = ByteBuffer.wrap(bytes).getLong(1);
        if (micros < QueryParameters.MICROS_MIN || micros > QueryParameters.MICROS_MAX) {
            return Optional.empty();
        }
        EventUuid uuid = EventUuid.ofBytes(Arrays.copyOfRange(bytes, 1 + Long.BYTES, BYTES));
        return Optional.of(new Position(micros, uuid));
    }
}
