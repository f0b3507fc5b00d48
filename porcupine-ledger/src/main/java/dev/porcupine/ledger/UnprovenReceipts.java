package dev.porcupine.ledger;

import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some receipts without a provenance, in key order.
 *
 * @param identities at most {@link Reconciliation#PROVEN_MAX}; may be none although there are more further on
 * @param end the last receipt that was looked at, proven or not; null when the search came to the end of the ledger, and the next one begins
 *     from the start
 */
public record UnprovenReceipts(
        List<EventIdentity> identities, @Nullable EventIdentity end) {

    public UnprovenReceipts {
        identities = List.copyOf(identities);
    }

    /** Whether the search has been through the whole ledger. */
    public boolean last() {
        return end == null;
    }

    /** Only those of the project that comes first, for a search that goes on with the next project. */
    public UnprovenReceipts ofItsFirstProject() {
        if (identities.isEmpty()) {
            return this;
        }
        ProjectId project = identities.getFirst().project();
        List<EventIdentity> first = identities.stream()
                .takeWhile(identity -> identity.project().equals(project))
                .toList();
        return first.size() == identities.size() ? this : new UnprovenReceipts(first, first.getLast());
    }

    /** The same receipts with an end behind all others of the project that comes first, seen or not. */
    public UnprovenReceipts toTheEndOfItsProject() {
        return identities.isEmpty() || last()
                ? this
                : new UnprovenReceipts(
                        identities, new EventIdentity(identities.getFirst().project(), EventUuid.HIGHEST));
    }
}
