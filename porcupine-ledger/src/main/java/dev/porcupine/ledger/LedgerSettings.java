package dev.porcupine.ledger;

import java.nio.file.Path;

/**
 * @param dataDir where the ledger lives; one process at a time
 * @param queueEventsMax the queue's budget in events (P8), 1 or more
 * @param queueBytesMax the queue's budget in bytes (P8), 1 or more; an event counts its texts, its properties and a fixed
 *     overhead for the row
 */
public record LedgerSettings(Path dataDir, long queueEventsMax, long queueBytesMax) {

    public LedgerSettings {
        if (queueEventsMax < 1) {
            throw new IllegalArgumentException("the queue's budget in events is 1 or more, got " + queueEventsMax);
        }
        if (queueBytesMax < 1) {
            throw new IllegalArgumentException("the queue's budget in bytes is 1 or more, got " + queueBytesMax);
        }
    }
}
