package dev.porcupine.ledger;

/** The points of a write at which a crash, a failure or another thread may strike; tests stop the writer at each. */
enum WriteStep {
    /** A new connection is open, its state not yet read. */
    CONNECTED,
    BEGIN,
    SAVEPOINT,
    /** Before a task's first statement. */
    WORK,
    /** Before each statement that changes rows. */
    ROW,
    RELEASE,
    /** Before the counters are written. */
    STATE,
    COMMIT,
    /** On disk; memory and callers don't know yet. */
    COMMITTED,
    /** Memory knows; callers don't. */
    ANSWER,
    CHECKPOINT
}
