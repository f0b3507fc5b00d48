package dev.porcupine.ledger;

import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import java.util.Set;

/**
 * Protects the identities of one lookup from eviction until the batch's final write (P17). Lives {@link Leases#LIFE} by a monotonic clock and is
 * dead from that very moment on; a proof under a dead lease is worth nothing (P20). Close it when the batch has its answer.
 */
public final class LookupLease implements AutoCloseable {

    private final Leases leases;
    private final ProjectId project;
    private final Set<EventUuid> uuids;
    private final long expiresAtNanos;

    LookupLease(Leases leases, ProjectId project, Set<EventUuid> uuids, long expiresAtNanos) {
        this.leases = leases;
        this.project = project;
        this.uuids = uuids;
        this.expiresAtNanos = expiresAtNanos;
    }

    ProjectId project() {
        return project;
    }

    Set<EventUuid> uuids() {
        return uuids;
    }

    long expiresAtNanos() {
        return expiresAtNanos;
    }

    /** Whether eviction still respects it. */
    public boolean alive() {
        return leases.alive(this);
    }

    /** Gives the identities free; doing it twice is harmless. */
    @Override
    public void close() {
        leases.release(this);
    }
}
