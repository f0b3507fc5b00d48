package dev.porcupine.ledger;

import dev.porcupine.schema.Problem;
import java.util.List;

/** What became of a batch. */
public sealed interface AcceptResult {

    /**
     * @param verdicts one per event, in the batch's order
     */
    record Committed(List<Verdict> verdicts) implements AcceptResult {}

    /**
     * Nothing was stored: the proof that the unknown events are new does not hold any more. Prove again.
     */
    record ProofVoid(Reason reason) implements AcceptResult {

        public enum Reason {
            /** The first eviction came after the proof by the complete record (P18). */
            RECORD_INCOMPLETE,
            /** The lease was dead, or given back, before the final write (P20). */
            LEASE_EXPIRED,
            /** An unknown event was not among those that history was asked for. */
            NOT_COVERED
        }
    }

    /**
     * Nothing was stored; the client should try again.
     *
     * @param problem retryable: queue full, overloaded, ledger unavailable, shutting down
     * @param detail for the client: counts and limits, no payload
     */
    record Refused(Problem problem, String detail) implements AcceptResult {}
}
