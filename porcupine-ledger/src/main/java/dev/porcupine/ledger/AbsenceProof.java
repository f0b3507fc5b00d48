package dev.porcupine.ledger;

import dev.porcupine.schema.EventUuid;
import java.util.Set;

/**
 * Why an event that the local record does not know was never accepted before. The final write checks that the reason still holds, in the
 * transaction that inserts the event; {@code docs/internals/acceptance-protocol.md} has the argument.
 */
public sealed interface AbsenceProof {

    /** The local record is complete: nothing was ever evicted, so what it does not know was never accepted (P14). */
    record CompleteRecord() implements AbsenceProof {}

    /**
     * History answered, completely, that it does not hold these identities, and the lease kept their receipts from being evicted since
     * before the local record was read for the last time (P15, P17).
     *
     * @param lease taken before that read
     * @param absent what was asked for and is not there
     */
    record HistoryAsked(LookupLease lease, Set<EventUuid> absent) implements AbsenceProof {

        public HistoryAsked {
            absent = Set.copyOf(absent);
            if (!lease.uuids().containsAll(absent)) {
                throw new IllegalArgumentException("a proof covers leased identities only");
            }
        }
    }
}
