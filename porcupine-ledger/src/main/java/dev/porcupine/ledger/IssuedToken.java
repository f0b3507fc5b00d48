package dev.porcupine.ledger;

/**
 * A write token at the only moment its secret is known; the ledger keeps a SHA-256 of it.
 *
 * @param id names the token in the admin API
 * @param secret what SDKs send as {@code api_key}; starts with {@code phc_}, at most 64 ASCII characters
 */
public record IssuedToken(long id, String secret) {}
