package dev.porcupine.ingest;

/** The points of a batch's proof at which an eviction, another batch or an expiry may strike; tests stop a batch at each. */
enum ProofStep {
    /** The local record was complete a moment ago; nothing is written. */
    COMPLETE,
    /** The local record was read; some of the batch is unknown. */
    PREFLIGHT,
    /** The unknown identities are leased, the local record not yet read again. */
    LEASED,
    /** The local record was read under the lease; history not yet asked. */
    REREAD,
    /** History has answered; nothing is written. */
    PROBED,
    /** The final write has its answer; the lease is still held. */
    WRITTEN
}
