package dev.porcupine.ledger;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventUuid;
import java.util.List;
import java.util.Set;

/**
 * The mutations of one project that history has not acknowledged, as one page of a listing needs them; one moment's snapshot.
 *
 * @param uuids of all events whose newest revision is pending: what history says of them is old
 * @param events those of them that match and are no tombstones, in the listing's order, as far as the bounds went
 * @param more whether further ones match, behind the last of {@code events}
 */
public record PendingPage(Set<EventUuid> uuids, List<Event> events, boolean more) {}
