package dev.porcupine.history;

import dev.porcupine.history.HistoryReadException.Kind;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.Ticker;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Looks up an event's newest revision in a table that is still the verified one afterwards. A read that finds nothing proves nothing: the
 * probe, which states every setting that could hide a row, must say so too.
 */
final class ClickHouseNewest {

    /** Reads at once: apart from the interactive reads' places and from capture's probes. */
    private static final int READS_MAX = 4;

    private final ClickHouseReads reads;
    private final ClickHouseLookup lookup;
    private final SourceCheck check;
    private final Ticker ticker;
    private final Semaphore places = new Semaphore(READS_MAX);

    /**
     * @param lookup with the mutations' own slot
     */
    ClickHouseNewest(ClickHouseReads reads, ClickHouseLookup lookup, SourceCheck check, Ticker ticker) {
        this.reads = reads;
        this.lookup = lookup;
        this.check = check;
        this.ticker = ticker;
    }

    NewestResult newest(VerifiedSource source, EventIdentity identity, Duration total) {
        long start = ticker.nanos();
        if (!place(shorter(ClickHouseLookup.SLOT_WAIT, total))) {
            return new NewestResult.Failed(
                    ProbeFailure.OVERLOADED, "all " + READS_MAX + " places for looking up events stayed taken");
        }
        Optional<Event> found;
        try {
            Duration left = total.minusNanos(ticker.nanos() - start);
            if (!left.isPositive()) {
                return tooLate(total);
            }
            found = reads.find(identity, shorter(left, ClickHouseLookup.PROBE_DEADLINE));
        } catch (HistoryReadException e) {
            return new NewestResult.Failed(
                    e.kind() == Kind.LIMIT ? ProbeFailure.LIMIT : ProbeFailure.OUTAGE, String.valueOf(e.getMessage()));
        } finally {
            places.release();
        }
        Duration left = total.minusNanos(ticker.nanos() - start);
        if (!left.isPositive()) {
            return tooLate(total);
        }
        return found.isPresent() ? stillVerified(source, found.get(), left) : absent(source, identity, left);
    }

    private NewestResult stillVerified(VerifiedSource source, Event newest, Duration left) {
        String doubt = check.doubt(source, left);
        return doubt == null
                ? new NewestResult.Found(newest)
                : new NewestResult.Failed(ProbeFailure.SOURCE_CHANGED, "the event was read, but " + doubt);
    }

    private NewestResult absent(VerifiedSource source, EventIdentity identity, Duration left) {
        return switch (lookup.lookUp(source, Set.of(identity), left)) {
            case ProbeResult.Failed(ProbeFailure failure, String detail) -> new NewestResult.Failed(failure, detail);
            case ProbeResult.Complete(Set<EventIdentity> known) ->
                known.isEmpty()
                        ? new NewestResult.Absent()
                        : new NewestResult.Failed(
                                ProbeFailure.INCOMPLETE,
                                "a read did not find the event and a probe did: it arrived in between, or a setting"
                                        + " hides it");
        };
    }

    private boolean place(Duration wait) {
        try {
            return places.tryAcquire(wait.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static NewestResult tooLate(Duration total) {
        return new NewestResult.Failed(
                ProbeFailure.DEADLINE, "the lookup of an event took over " + total.toMillis() + " ms");
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
