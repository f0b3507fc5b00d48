package dev.porcupine.history;

import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.Ticker;
import io.github.resilience4j.bulkhead.Bulkhead;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lets at most two probes run at once (P21) and makes those that wait share the next one: a probe of 500 identities costs far less than
 * five of 100, so sharing turns a short overload into a little delay instead of refusals.
 *
 * <p>Nobody waits on a thread of the desk: the request that gets a slot runs the probe for itself and for as many of the waiting ones
 * as fit, oldest first. A request that isn't taken along within its wait is told so, and nothing is known of its identities.
 */
final class ProbeDesk {

    /** What really asks history; must return within the deadline it is given. */
    interface Prober {
        ProbeResult probe(VerifiedSource source, Set<EventIdentity> identities, Duration deadline);
    }

    private final Bulkhead slots;
    private final Prober prober;
    private final Ticker ticker;
    private final int identitiesMax;
    private final Duration deadlineMax;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

    /**
     * @param identitiesMax the most identities one probe may ask for
     * @param deadlineMax the longest that one probe may run
     */
    ProbeDesk(Bulkhead slots, Prober prober, Ticker ticker, int identitiesMax, Duration deadlineMax) {
        this.slots = slots;
        this.prober = prober;
        this.ticker = ticker;
        this.identitiesMax = identitiesMax;
        this.deadlineMax = deadlineMax;
    }

    private static final class Waiting {
        private final VerifiedSource source;
        private final Set<EventIdentity> identities;
        private boolean taken;
        private @Nullable ProbeResult result;

        private Waiting(VerifiedSource source, Set<EventIdentity> identities) {
            this.source = source;
            this.identities = identities;
        }
    }

    /** Requests that wait for a slot now. */
    int waiting() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Probes these identities, alone or together with others'.
     *
     * @param identities at least one, at most the desk's maximum
     * @param slotWait how long to wait for a slot, at most {@code total}
     * @param total from the call to the answer
     */
    ProbeResult probe(VerifiedSource source, Set<EventIdentity> identities, Duration slotWait, Duration total) {
        if (identities.isEmpty() || identities.size() > identitiesMax) {
            throw new IllegalArgumentException(
                    "a probe asks for 1 to " + identitiesMax + " identities, got " + identities.size());
        }
        long start = ticker.nanos();
        Waiting mine = new Waiting(source, identities);
        List<Waiting> company = joinOrLead(mine, start, slotWait, total);
        if (!company.isEmpty()) {
            Duration left = total.minusNanos(ticker.nanos() - start);
            lead(mine.source, company, left.compareTo(deadlineMax) < 0 ? left : deadlineMax);
        }
        ProbeResult result = mine.result;
        if (result == null) {
            throw new IllegalStateException("a probe ended without a result");
        }
        return result;
    }

    /** Returns those to probe for when this request got a slot; else nobody, and its result is set. */
    private List<Waiting> joinOrLead(Waiting mine, long start, Duration slotWait, Duration total) {
        lock.lock();
        try {
            waiting.addLast(mine);
            while (mine.result == null) {
                if (!mine.taken && slots.tryAcquirePermission()) {
                    return take(mine);
                }
                long left = (mine.taken ? total : slotWait).toNanos() - (ticker.nanos() - start);
                if (left <= 0) {
                    waiting.remove(mine);
                    mine.result = mine.taken
                            ? new ProbeResult.Failed(
                                    ProbeFailure.DEADLINE, "a shared probe took over " + total.toMillis() + " ms")
                            : new ProbeResult.Failed(
                                    ProbeFailure.OVERLOADED, "no probe slot within " + slotWait.toMillis() + " ms");
                    break;
                }
                awaitChange(mine, left);
            }
            return List.of();
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("WaitNotInLoop") // the caller's loop looks again after every wake-up
    private void awaitChange(Waiting mine, long nanos) {
        try {
            changed.await(Math.min(nanos, TimeUnit.MILLISECONDS.toNanos(100)), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            waiting.remove(mine);
            if (mine.result == null) {
                mine.result = new ProbeResult.Failed(ProbeFailure.OVERLOADED, "interrupted while waiting for a slot");
            }
        }
    }

    private List<Waiting> take(Waiting mine) {
        waiting.remove(mine);
        mine.taken = true;
        List<Waiting> company = new ArrayList<>();
        company.add(mine);
        int size = mine.identities.size();
        for (Iterator<Waiting> others = waiting.iterator(); others.hasNext(); ) {
            Waiting other = others.next();
            if (!other.source.tableUuid().equals(mine.source.tableUuid())) {
                continue;
            }
            if (size + other.identities.size() > identitiesMax) {
                break;
            }
            size += other.identities.size();
            other.taken = true;
            others.remove();
            company.add(other);
        }
        return company;
    }

    private void lead(VerifiedSource source, List<Waiting> company, Duration deadline) {
        ProbeResult shared = new ProbeResult.Failed(ProbeFailure.OUTAGE, "the probe broke off");
        try {
            shared = prober.probe(source, union(company), deadline);
        } finally {
            lock.lock();
            try {
                for (Waiting each : company) {
                    if (each.result == null) {
                        each.result = shareOf(each, shared);
                    }
                }
                slots.releasePermission();
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private static Set<EventIdentity> union(List<Waiting> company) {
        if (company.size() == 1) {
            return company.getFirst().identities;
        }
        Set<EventIdentity> all = new HashSet<>();
        for (Waiting each : company) {
            all.addAll(each.identities);
        }
        return all;
    }

    private static ProbeResult shareOf(Waiting one, ProbeResult shared) {
        return switch (shared) {
            case ProbeResult.Failed failed -> failed;
            case ProbeResult.Complete complete -> {
                Set<EventIdentity> known = new HashSet<>(one.identities);
                known.retainAll(complete.known());
                yield new ProbeResult.Complete(known);
            }
        };
    }
}
