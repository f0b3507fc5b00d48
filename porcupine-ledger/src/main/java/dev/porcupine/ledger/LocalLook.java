package dev.porcupine.ledger;

import dev.porcupine.schema.EventUuid;
import java.util.Map;

/**
 * What the local record knew at one moment. Known stays known, whatever is evicted afterwards; unknown means nothing yet.
 *
 * @param known verdicts of the events that are duplicates
 */
public record LocalLook(Map<EventUuid, Verdict> known) {}
