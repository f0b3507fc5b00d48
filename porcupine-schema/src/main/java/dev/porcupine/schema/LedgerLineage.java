package dev.porcupine.schema;

import java.util.Map;
import java.util.UUID;

/** What a ledger's file says of itself, to be compared with the marks that history has of it (see {@link LedgerMark}). */
public interface LedgerLineage {

    /** The ledger's random name, made with its file; constant. */
    UUID ledger();

    /** This process; constant. */
    UUID epoch();

    /**
     * Every process that ever ran on this very file, with the highest {@code seq} that it can have accepted there: for those before, where
     * the next one began; for this one, what is on disk now. Compare it only with marks that were read <em>before</em> this call: each of
     * them was made after its seq had reached the disk.
     *
     * @throws ProblemException {@code LEDGER_UNAVAILABLE} when the ledger can't be read
     */
    Map<UUID, Long> acceptedByEpoch();
}
