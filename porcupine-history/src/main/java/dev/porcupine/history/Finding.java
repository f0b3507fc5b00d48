package dev.porcupine.history;

/**
 * One reason not to trust the store.
 *
 * @param code stable, for documentation and alerts
 * @param detail what was wanted, what was found, what to do; no password
 */
public record Finding(String code, String detail) {}
