package dev.porcupine.ingest;

/** The points of a mutation at which another mutation, a delivery or an eviction may strike; tests stop a mutation at each. */
enum MutationStep {
    /** The local record was read; history not yet asked. */
    TRACED,
    /** History has said which revision is the newest. */
    LOOKED_UP,
    /** The next revision is made; nothing is written. */
    MADE,
    /** The final write has its answer. */
    WRITTEN
}
