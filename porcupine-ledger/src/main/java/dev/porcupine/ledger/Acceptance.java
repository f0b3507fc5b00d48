package dev.porcupine.ledger;

import dev.porcupine.schema.Event;
import java.util.List;

/** Decides which events are new, and keeps those: the one door into Porcupine (P3). */
public final class Acceptance {

    /**
     * Stores the events that no local record knows, all in one transaction, and returns when they are on disk.
     *
     * @param events originals of one project with distinct UUIDs, at least one
     * @return {@link AcceptResult.Committed} only after the fsync; after {@link AcceptResult.Refused} nothing of the batch is stored,
     *     except where the wait ended before the answer ({@code LEDGER_UNAVAILABLE}): then it may be, and a resend finds duplicates
     */
    public AcceptResult accept(List<Event> events) {
        throw new UnsupportedOperationException();
    }
}
