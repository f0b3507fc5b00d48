package dev.porcupine.history;

/** Why a probe gave no facts. */
public enum ProbeFailure {
    /** Both slots stayed taken for the whole wait. */
    OVERLOADED,
    /** The total deadline passed, at the server or here. */
    DEADLINE,
    /** A memory, read or result limit ended it; fewer identities may fit. */
    LIMIT,
    /** History can't be reached, or refuses to answer. */
    OUTAGE,
    /** An answer came, and is not one complete envelope. */
    INCOMPLETE,
    /** The table is not, or no longer, the verified one. */
    SOURCE_CHANGED
}
