package dev.porcupine.history;

import dev.porcupine.schema.LedgerLineage;
import java.util.List;

/**
 * What a look learned from history's marks besides its verdict.
 *
 * @param markedSeq how far this process has marked; 0 where it has not
 * @param otherLedgers whether another ledger has ever marked here, dead or alive
 */
record MarksSeen(long markedSeq, boolean otherLedgers) {

    static final MarksSeen NONE = new MarksSeen(0, false);

    static MarksSeen of(List<KeptMark> marks, LedgerLineage own) {
        long markedSeq = marks.stream()
                .filter(mark -> mark.epoch().equals(own.epoch()))
                .mapToLong(KeptMark::acceptedSeq)
                .max()
                .orElse(0);
        return new MarksSeen(
                markedSeq, marks.stream().anyMatch(mark -> !mark.ledger().equals(own.ledger())));
    }
}
