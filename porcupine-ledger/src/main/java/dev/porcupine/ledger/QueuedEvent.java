package dev.porcupine.ledger;

import dev.porcupine.schema.Event;

/**
 * @param seq its place in the queue, ascending
 * @param bytes what it counts against the queue's budget
 */
public record QueuedEvent(long seq, Event event, long bytes) {}
