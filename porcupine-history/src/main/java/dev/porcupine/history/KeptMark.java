package dev.porcupine.history;

import java.util.UUID;

/**
 * What history keeps of one process on one ledger.
 *
 * @param acceptedSeq the highest {@code seq} it said to have on disk
 * @param firstMillis when it made its first mark, by the store's clock
 * @param lastMillis when it made its latest one, by the same clock
 */
record KeptMark(UUID ledger, UUID epoch, long acceptedSeq, long firstMillis, long lastMillis) {}
