package dev.porcupine.ledger;

import dev.porcupine.schema.Event;

/**
 * @param seq names the entry in the admin API
 * @param reason what history said of it
 */
public record QuarantinedEvent(long seq, Event event, String reason, long quarantinedAtMillis) {}
