package dev.porcupine.ledger;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The SHA-256 of a write token's secret: all that the ledger keeps of it. */
record TokenHash(long first, long second, long third, long fourth) {

    static final int BYTES = 32;

    static TokenHash of(String secret) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            return ofBytes(sha.digest(secret.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }

    static TokenHash ofBytes(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new TokenHash(buffer.getLong(), buffer.getLong(), buffer.getLong(), buffer.getLong());
    }

    byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putLong(first)
                .putLong(second)
                .putLong(third)
                .putLong(fourth)
                .array();
    }

    /** Without the value: this text may reach a log. */
    @Override
    public String toString() {
        return "TokenHash[…]";
    }
}
