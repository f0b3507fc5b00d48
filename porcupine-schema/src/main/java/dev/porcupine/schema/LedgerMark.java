package dev.porcupine.schema;

import java.util.UUID;

/**
 * How far a ledger has come, as history writes it down before it takes the ledger's events.
 *
 * @param ledger the ledger's own random name; copies of its file share it
 * @param epoch the process that runs on it
 * @param acceptedSeq the highest {@code seq} of its queue that was on disk when this was made
 */
public record LedgerMark(UUID ledger, UUID epoch, long acceptedSeq) {

    public LedgerMark {
        if (acceptedSeq < 0) {
            throw new IllegalArgumentException("a seq is 0 or more, got " + acceptedSeq);
        }
    }
}
