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
     * Nothing was stored; the client should try again.
     *
     * @param problem retryable: queue full, overloaded, ledger unavailable, shutting down
     * @param detail for the client: counts and limits, no payload
     */
    record Refused(Problem problem, String detail) implements AcceptResult {}
}
