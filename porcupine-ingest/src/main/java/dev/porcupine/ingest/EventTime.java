package dev.porcupine.ingest;

/**
 * When an event happened.
 *
 * @param micros since the epoch
 * @param asWritten whether that is what the client wrote, but for the correction of its clock; otherwise the client's text is kept
 *     beside the event
 */
record EventTime(long micros, boolean asWritten) {}
