package dev.porcupine.history;

import dev.porcupine.schema.LedgerLineage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Whether this ledger is the only one on its history, and the newest of its copies. Judges marks and lineage, asks nobody.
 *
 * <p>A ledger's own marks are judged without any clock. Each process is entered in the ledger's file before it accepts anything, and
 * marks only what that file has on disk. So a mark by a process that isn't entered, or beyond what an entered one can have accepted
 * here, was made on another copy of the file; and no order of crashes makes such a mark on a single one. An earlier process of this very file is alive
 * when its marks move. Times, all by the store's clock, say only which finding a copy is called by, and which of two different ledgers came first.
 */
final class LedgerRule {

    private final String marksTable;
    private final StirringEpochs stirring;

    /**
     * @param marksTable its name, for messages
     * @param stirring what earlier looks of this process have seen
     */
    LedgerRule(String marksTable, StirringEpochs stirring) {
        this.marksTable = marksTable;
        this.stirring = stirring;
    }

    /**
     * @param forked this ledger is stale or has a living copy: nothing may be accepted, whatever rests on history
     * @param foreign another ledger uses the same history
     */
    record Judgement(List<Finding> forked, List<Finding> foreign) {}

    /**
     * @param marks read before {@code accepted}: see {@link LedgerLineage#acceptedByEpoch}
     */
    Judgement judge(List<KeptMark> marks, UUID ledger, UUID epoch, Map<UUID, Long> accepted) {
        List<KeptMark> own =
                marks.stream().filter(mark -> mark.ledger().equals(ledger)).toList();
        Optional<KeptMark> mine =
                own.stream().filter(mark -> mark.epoch().equals(epoch)).findFirst();
        long myFirst = mine.map(KeptMark::firstMillis).orElse(Long.MAX_VALUE);
        Set<UUID> living = stirring.look(
                own.stream().filter(mark -> !mark.epoch().equals(epoch)).toList());
        List<Finding> forked = new ArrayList<>();
        // The same copy of the file may have left many marks; one of each kind says enough.
        own.stream()
                .filter(mark -> beyond(mark, accepted) && !alive(mark, epoch, myFirst))
                .findFirst()
                .ifPresent(mark -> forked.add(stale(mark, accepted)));
        own.stream()
                .filter(mark -> !mark.epoch().equals(epoch))
                .filter(mark -> beyond(mark, accepted) ? alive(mark, epoch, myFirst) : living.contains(mark.epoch()))
                .findFirst()
                .ifPresent(
                        mark -> forked.add(
                                shared(
                                        "another process (epoch " + mark.epoch()
                                                + ") that runs on a copy of this ledger. Stop all but one of them; docs/reference/findings.md says how to go on")));
        return new Judgement(List.copyOf(forked), foreign(marks, own, ledger));
    }

    private static boolean beyond(KeptMark mark, Map<UUID, Long> accepted) {
        Long end = accepted.get(mark.epoch());
        return end == null || mark.acceptedSeq() > end;
    }

    private static boolean alive(KeptMark mark, UUID epoch, long myFirst) {
        return !mark.epoch().equals(epoch) && mark.lastMillis() > myFirst;
    }

    private Finding stale(KeptMark mark, Map<UUID, Long> accepted) {
        Long end = accepted.get(mark.epoch());
        return FindingCode.LEDGER_STALE.finding(
                "wanted a ledger that holds all that was accepted under its name, found "
                        + (end == null
                                ? "that a process which this ledger doesn't know (epoch " + mark.epoch()
                                        + ") accepted events"
                                : "that events up to number " + mark.acceptedSeq()
                                        + " were accepted where this ledger knows " + end)
                        + ". It is an older copy, and would accept again what the newer one has accepted. Put the newest ledger.db"
                        + " back");
    }

    private List<Finding> foreign(List<KeptMark> marks, List<KeptMark> own, UUID ledger) {
        Stream<KeptMark> others = marks.stream().filter(mark -> !mark.ledger().equals(ledger));
        if (own.isEmpty()) {
            return others.findFirst()
                    .map(mark -> List.of(shared("events of another ledger (" + mark.ledger()
                            + ") and none of this one. Configure a table of its own (porcupine.clickhouse.table), or put the other"
                            + " data directory back")))
                    .orElse(List.of());
        }
        long ownFirst = own.stream().mapToLong(KeptMark::firstMillis).min().orElseThrow();
        return others.filter(mark -> mark.lastMillis() > ownFirst)
                .findFirst()
                .map(mark -> List.of(shared("another ledger (" + mark.ledger()
                        + ") that wrote there after this one had begun. Give each a table of its own")))
                .orElse(List.of());
    }

    private Finding shared(String found) {
        return FindingCode.HISTORY_SHARED.finding(
                "wanted one ledger and one process on the history of " + marksTable + ", found " + found);
    }
}
