package dev.porcupine.ledger;

import java.nio.file.Path;

/**
 * @param dataDir where the ledger lives; one process at a time
 * @param queueEventsMax the queue's budget in events (P8), 1 or more
 * @param queueBytesMax the queue's budget in bytes of payload (P8), 1 or more
 */
public record LedgerSettings(Path dataDir, long queueEventsMax, long queueBytesMax) {}
