package dev.porcupine.history;

import dev.porcupine.schema.EventIdentity;
import java.util.Set;

/** What a probe of history found: all of the facts, or none. */
public sealed interface ProbeResult {

    /**
     * The whole answer, from the verified table.
     *
     * @param known the requested identities that stand in any physical row; every other requested identity is proven absent
     */
    record Complete(Set<EventIdentity> known) implements ProbeResult {}

    /**
     * Nothing is known of any requested identity; whoever treats one as absent accepts a duplicate (P23).
     *
     * @param detail for operators and clients: what happened, limits and elapsed time; no password
     */
    record Failed(ProbeFailure failure, String detail) implements ProbeResult {}
}
