package dev.porcupine.ledger;

import java.util.List;

/** Accepted events on their way to history, oldest first. One consumer. */
public final class EventQueue {

    /** The oldest events, within both bounds; at least one when the queue has any, whatever its size. */
    public List<QueuedEvent> oldest(int rowsMax, long bytesMax) {
        throw new UnsupportedOperationException();
    }

    /**
     * Turns acknowledged events into receipts: in transactions of at most 256, each removing the payloads and adding the receipts (P9, P10).
     * Call only after a synchronous acknowledgement by history. Settling an event again is harmless.
     */
    public void settle(List<QueuedEvent> acknowledged) {
        throw new UnsupportedOperationException();
    }

    /** Moves events that history refuses for their own sake out of the queue, keeping payload and identity (P13, P55). */
    public void quarantine(List<QueuedEvent> refused, String reason) {
        throw new UnsupportedOperationException();
    }
}
