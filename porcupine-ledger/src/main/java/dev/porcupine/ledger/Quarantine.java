package dev.porcupine.ledger;

import dev.porcupine.schema.ProjectId;
import java.util.List;

/** Accepted events that history refused for their own sake (P55). They keep payload and identity until retried. */
public final class Quarantine {

    /**
     * Entries in ascending seq.
     *
     * @param afterSeq 0 for the first page, else the last seq of the page before
     * @param limit 1 to 1000
     */
    public List<QuarantinedEvent> list(ProjectId project, long afterSeq, int limit) {
        throw new UnsupportedOperationException();
    }

    /**
     * Puts one entry back at the end of the queue.
     *
     * @return false when the project has no such entry
     * @throws dev.porcupine.schema.ProblemException when the queue is full or the ledger can't write
     */
    public boolean retry(ProjectId project, long seq) {
        throw new UnsupportedOperationException();
    }
}
