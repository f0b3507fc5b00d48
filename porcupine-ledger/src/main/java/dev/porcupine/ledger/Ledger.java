package dev.porcupine.ledger;

import java.time.InstantSource;

/** The ledger of one data directory. */
public final class Ledger implements AutoCloseable {

    /** @throws LedgerStartException when the directory is in use, unreadable, damaged or of a newer release; says which and what to do */
    public static Ledger open(LedgerSettings settings, InstantSource clock) {
        throw new UnsupportedOperationException();
    }

    public Projects projects() {
        throw new UnsupportedOperationException();
    }

    public Acceptance acceptance() {
        throw new UnsupportedOperationException();
    }

    public EventQueue queue() {
        throw new UnsupportedOperationException();
    }

    public Quarantine quarantine() {
        throw new UnsupportedOperationException();
    }

    /** Counters kept in memory: cheap enough for every scrape. */
    public LedgerStatus status() {
        throw new UnsupportedOperationException();
    }

    /** Finishes what the writer has begun, refuses the rest, and leaves no -wal or -shm file behind. */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
