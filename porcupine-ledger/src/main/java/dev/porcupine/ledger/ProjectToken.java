package dev.porcupine.ledger;

/**
 * @param hint the first characters of the secret, enough to tell tokens apart
 */
public record ProjectToken(long id, String hint, long createdAtMillis) {}
