package dev.porcupine.history;

/** How much the ledger rests on history: what may be lost there without an event being accepted twice. */
public enum Reliance {

    /** Every receipt stays in the ledger and nothing is pinned: history may begin anew, and rows removed from it forget nothing. */
    NONE,

    /** Receipts are to be evicted, and nothing is pinned yet: the table may be created, and must be sound from the start. */
    COMING,

    /** A source is pinned: it is the only one, and never made anew. */
    PINNED
}
