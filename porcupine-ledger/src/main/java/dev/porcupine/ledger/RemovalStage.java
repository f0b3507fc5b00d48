package dev.porcupine.ledger;

import java.util.Locale;

/** How far the removal of a project has come. Each stage may be begun again at any time; none is passed over. */
public enum RemovalStage {
    /** Queue and quarantine are being emptied of the project. */
    QUEUE,
    /** No row is left to be read; deliveries that have read some before may still be under way. */
    DELIVERY,
    /** Nobody writes for the project any more; its rows in history are being deleted. */
    HISTORY,
    /** History has no row of it; receipts, heads and the project itself go. */
    RECEIPTS,
    /** Only its number is left. */
    DONE;

    /** As the ledger and the admin API spell it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static RemovalStage of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
