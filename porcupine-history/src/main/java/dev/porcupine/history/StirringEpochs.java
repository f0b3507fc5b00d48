package dev.porcupine.history;

import dev.porcupine.schema.Ticker;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Earlier processes whose marks moved while this one looked on: they are alive, whatever the store's clock says. A clock that was wrong once would
 * accuse a dead process for as long as it was ahead; what moves between two looks needs no clock. Thread-safe.
 */
final class StirringEpochs {

    /** A process that was killed may have had a mark under way; after this long there is none of it left. */
    static final Duration LAST_WORDS = Duration.ofSeconds(60);

    private final Ticker ticker;
    private final Map<UUID, KeptMark> seen = new HashMap<>();
    private final Set<UUID> stirring = new HashSet<>();
    private long firstLookNanos;
    private boolean looked;

    StirringEpochs(Ticker ticker) {
        this.ticker = ticker;
    }

    /**
     * @param earlier the marks of this ledger's earlier processes, as a look has just read them
     * @return those that have moved since the last words of the dead were over; once seen moving, always named
     */
    synchronized Set<UUID> look(List<KeptMark> earlier) {
        if (!looked) {
            looked = true;
            firstLookNanos = ticker.nanos();
        }
        boolean lastWordsOver = ticker.nanos() - firstLookNanos > LAST_WORDS.toNanos();
        for (KeptMark mark : earlier) {
            KeptMark before = seen.put(mark.epoch(), mark);
            if (lastWordsOver && !mark.equals(before)) {
                stirring.add(mark.epoch());
            }
        }
        return Set.copyOf(stirring);
    }
}
