package dev.porcupine.ledger;

import dev.porcupine.schema.ProjectId;

/**
 * One project's removal, as the ledger has it on disk.
 *
 * @param removed what left so far
 */
public record Removal(
        ProjectId project, RemovalStage stage, long requestedAtMillis, long stageSinceMillis, Removed removed) {

    /**
     * @param historyRows physical rows that history was seen to hold
     */
    public record Removed(long queued, long quarantined, long historyRows, long receipts, long heads) {

        static final Removed NOTHING = new Removed(0, 0, 0, 0, 0);

        Removed plus(Removed more) {
            return new Removed(
                    queued + more.queued,
                    quarantined + more.quarantined,
                    historyRows + more.historyRows,
                    receipts + more.receipts,
                    heads + more.heads);
        }
    }

    public boolean done() {
        return stage == RemovalStage.DONE;
    }

    Removal at(RemovalStage next, long nowMillis) {
        return new Removal(project, next, requestedAtMillis, next == stage ? stageSinceMillis : nowMillis, removed);
    }

    Removal with(Removed more) {
        return new Removal(project, stage, requestedAtMillis, stageSinceMillis, removed.plus(more));
    }
}
