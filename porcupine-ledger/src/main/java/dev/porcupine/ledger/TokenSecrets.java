package dev.porcupine.ledger;

import java.security.SecureRandom;
import java.util.Base64;

/** Makes write tokens: 256 random bits, in the shape that PostHog's SDKs expect of a project key. */
final class TokenSecrets {

    static final String PREFIX = "phc_";

    /** What capture takes at most; nothing longer is hashed. */
    static final int LENGTH_MAX = 64;

    private static final int RANDOM_BYTES = 32;

    /** Enough to tell a person's tokens apart; 36 of 256 bits. */
    private static final int HINT_LENGTH = 10;

    private final SecureRandom random = new SecureRandom();

    String next() {
        byte[] bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    static String hint(String secret) {
        return secret.substring(0, HINT_LENGTH);
    }
}
