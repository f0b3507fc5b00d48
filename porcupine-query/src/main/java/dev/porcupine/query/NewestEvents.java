package dev.porcupine.query;

import dev.porcupine.history.History;
import dev.porcupine.history.HistoryReadException;
import dev.porcupine.ledger.LocalTrace;
import dev.porcupine.ledger.Mutations;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import java.util.Optional;

/** Reads one event as it is now: from the ledger where its newest revision waits there, else from history. */
final class NewestEvents {

    private final Mutations ledger;
    private final History history;

    NewestEvents(Mutations ledger, History history) {
        this.ledger = ledger;
        this.history = history;
    }

    /**
     * @throws ProblemException {@code EVENT_NOT_FOUND} or {@code EVENT_DELETED}
     * @throws HistoryReadException when history can't answer, or holds less than it has acknowledged
     */
    Event read(EventIdentity identity) {
        return switch (ledger.trace(identity)) {
            case LocalTrace.Deleted _ -> throw deleted(identity);
            case LocalTrace.Held held -> held.newest();
            case LocalTrace.Delivered delivered -> inHistory(identity, delivered.headRevision());
            case LocalTrace.Unknown _, LocalTrace.Absent _ -> inHistory(identity, 0);
        };
    }

    /**
     * @param mutated the revision that history must have acknowledged; 0 for an event that was never mutated
     */
    private Event inHistory(EventIdentity identity, long mutated) {
        Optional<Event> found = history.find(identity);
        long revision = found.map(Event::revision).orElse(0L);
        if (revision < mutated) {
            throw new HistoryReadException(
                    HistoryReadException.Kind.UNAVAILABLE,
                    "History has acknowledged revision " + mutated + " of the event and holds "
                            + (revision == 0 ? "none" : "only " + revision));
        }
        Event newest = found.orElseThrow(() -> new ProblemException(
                Problem.EVENT_NOT_FOUND,
                "Project " + identity.project() + " has no event of that uuid, queued or delivered"));
        if (newest.deleted()) {
            throw deleted(identity);
        }
        return newest;
    }

    private static ProblemException deleted(EventIdentity identity) {
        return new ProblemException(
                Problem.EVENT_DELETED, "The event of that uuid was deleted from project " + identity.project());
    }
}
