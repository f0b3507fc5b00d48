package dev.porcupine.schema;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;

/**
 * The 128 bits by which a client names an event. All spellings of one value are one {@code EventUuid}; the client's text is never
 * part of the identity.
 *
 * <p>Parsing is strict (see {@link #parse}): {@link UUID#fromString} takes {@code 1-1-1-1-1}, signs and full-width digits, which would
 * give two texts that a client means as different one identity, and lose an event.
 *
 * @param mostSignificant the first eight bytes in network order
 * @param leastSignificant the last eight bytes in network order
 */
public record EventUuid(long mostSignificant, long leastSignificant) implements Comparable<EventUuid> {

    /** Bytes of a UUID in network order. */
    public static final int BYTES = 16;

    /** After every other in the order of bytes. No event has it. */
    public static final EventUuid HIGHEST = new EventUuid(-1, -1);

    private static final int HYPHENATED_LENGTH = 36;
    private static final int HEX_LENGTH = 32;
    private static final String URN_PREFIX = "urn:uuid:";

    /**
     * Reads one of the four spellings that clients send: hyphenated, 32 hex digits, {@code {braced}} and {@code urn:uuid:}, in any
     * hex case, of any version.
     *
     * @return empty for every other text, and for the nil and max UUIDs, which broken clients send for each event
     */
    public static Optional<EventUuid> parse(String text) {
        int length = text.length();
        return switch (length) {
            case HYPHENATED_LENGTH -> hyphenated(text, 0);
            case HEX_LENGTH -> hex(text);
            case HYPHENATED_LENGTH + 2 ->
                text.charAt(0) == '{' && text.charAt(length - 1) == '}' ? hyphenated(text, 1) : Optional.empty();
            case HYPHENATED_LENGTH + 9 ->
                text.startsWith(URN_PREFIX) ? hyphenated(text, URN_PREFIX.length()) : Optional.empty();
            default -> Optional.empty();
        };
    }

    /** Reads the 16 bytes in network order that {@link #toBytes} writes. */
    public static EventUuid ofBytes(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a uuid is " + BYTES + " bytes, got " + bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new EventUuid(buffer.getLong(), buffer.getLong());
    }

    public static EventUuid of(UUID uuid) {
        return new EventUuid(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
    }

    public UUID toUuid() {
        return new UUID(mostSignificant, leastSignificant);
    }

    /** The 16 bytes in network order: the form in which the ledger stores an identity. */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putLong(mostSignificant)
                .putLong(leastSignificant)
                .array();
    }

    /** Byte order, as SQLite's BLOB comparison has it; {@link UUID#compareTo} is signed and would disagree. */
    @Override
    public int compareTo(EventUuid other) {
        int first = Long.compareUnsigned(mostSignificant, other.mostSignificant);
        return first != 0 ? first : Long.compareUnsigned(leastSignificant, other.leastSignificant);
    }

    /** The canonical text: lower case, hyphenated. */
    @Override
    public String toString() {
        return toUuid().toString();
    }

    private static Optional<EventUuid> hyphenated(String text, int from) {
        long most = 0;
        long least = 0;
        int digits = 0;
        for (int i = 0; i < HYPHENATED_LENGTH; i++) {
            char c = text.charAt(from + i);
            if (i == 8 || i == 13 || i == 18 || i == 23) {
                if (c != '-') {
                    return Optional.empty();
                }
                continue;
            }
            int digit = hexDigit(c);
            if (digit < 0) {
                return Optional.empty();
            }
            if (digits < 16) {
                most = most << 4 | digit;
            } else {
                least = least << 4 | digit;
            }
            digits++;
        }
        return valid(most, least);
    }

    private static Optional<EventUuid> hex(String text) {
        long most = 0;
        long least = 0;
        for (int i = 0; i < HEX_LENGTH; i++) {
            int digit = hexDigit(text.charAt(i));
            if (digit < 0) {
                return Optional.empty();
            }
            if (i < 16) {
                most = most << 4 | digit;
            } else {
                least = least << 4 | digit;
            }
        }
        return valid(most, least);
    }

    private static Optional<EventUuid> valid(long most, long least) {
        boolean nil = most == 0 && least == 0;
        boolean max = most == -1 && least == -1;
        return nil || max ? Optional.empty() : Optional.of(new EventUuid(most, least));
    }

    private static int hexDigit(char c) {
        if (c >= '0' && c <= '9') {
            return c - '0';
        }
        if (c >= 'a' && c <= 'f') {
            return c - 'a' + 10;
        }
        if (c >= 'A' && c <= 'F') {
            return c - 'A' + 10;
        }
        return -1;
    }
}
