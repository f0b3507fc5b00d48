package dev.porcupine.ledger;

import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.schema.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The identities that lookups have under way, in the memory of the process that owns the ledger.
 *
 * <p>Eviction asks {@link #leased} for each candidate inside its write transaction. The writer is one thread, so between the final write's look at its lease and
 * the commit no eviction can run: a lease that is alive at that look protected its identities for the whole lookup. Taking a lease before
 * re-reading the local record is what makes the look complete; {@code docs/internals/acceptance-protocol.md} has the argument.
 *
 * <p>Several lookups may lease one identity. It stays leased until the last of them is released or dead.
 */
final class Leases {

    /** P20. */
    static final Duration LIFE = Duration.ofSeconds(30);

    /** Bounds memory (about 100 bytes each): far above what two probes at a time of 500 and their waiting line can need. */
    static final int IDENTITIES_MAX = 200_000;

    private final Ticker ticker;
    private final int identitiesMax;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<EventIdentity, List<LookupLease>> held = new HashMap<>();
    private final Set<LookupLease> open = new HashSet<>();

    Leases(Ticker ticker) {
        this(ticker, IDENTITIES_MAX);
    }

    Leases(Ticker ticker, int identitiesMax) {
        this.ticker = ticker;
        this.identitiesMax = identitiesMax;
    }

    /** Empty when too many identities are leased already: the caller refuses the batch as overload. */
    Optional<LookupLease> take(ProjectId project, Set<EventUuid> uuids) {
        lock.lock();
        try {
            if (held.size() + uuids.size() > identitiesMax) {
                return Optional.empty();
            }
            LookupLease lease = new LookupLease(this, project, Set.copyOf(uuids), ticker.nanos() + LIFE.toNanos());
            for (EventUuid uuid : lease.uuids()) {
                held.computeIfAbsent(new EventIdentity(project, uuid), identity -> new ArrayList<>(1))
                        .add(lease);
            }
            open.add(lease);
            return Optional.of(lease);
        } finally {
            lock.unlock();
        }
    }

    boolean leased(EventIdentity identity) {
        lock.lock();
        try {
            List<LookupLease> by = held.get(identity);
            return by != null && by.stream().anyMatch(this::young);
        } finally {
            lock.unlock();
        }
    }

    boolean alive(LookupLease lease) {
        lock.lock();
        try {
            return open.contains(lease) && young(lease);
        } finally {
            lock.unlock();
        }
    }

    void release(LookupLease lease) {
        lock.lock();
        try {
            if (!open.remove(lease)) {
                return;
            }
            for (EventUuid uuid : lease.uuids()) {
                held.computeIfPresent(new EventIdentity(lease.project(), uuid), (identity, by) -> {
                    by.remove(lease);
                    return by.isEmpty() ? null : by;
                });
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean young(LookupLease lease) {
        return ticker.nanos() - lease.expiresAtNanos() < 0;
    }

    /** Lookups under way, dead ones that nobody closed yet included. */
    int open() {
        lock.lock();
        try {
            return open.size();
        } finally {
            lock.unlock();
        }
    }
}
