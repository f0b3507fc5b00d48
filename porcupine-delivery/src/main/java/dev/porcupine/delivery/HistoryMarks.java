package dev.porcupine.delivery;

import dev.porcupine.history.History;
import dev.porcupine.history.MarkResult;
import dev.porcupine.history.VerifiedSource;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.schema.LedgerMark;
import org.jspecify.annotations.Nullable;

/**
 * Lets no event into history that this process's mark doesn't cover. A mark says how far the ledger's disk had come, so it is never ahead
 * of a ledger that merely crashed; and it is acknowledged before the insert, so no event is in history beyond it. It says all that was
 * accepted by then, not only the batch: under a backlog one mark covers many batches.
 *
 * <p>What was acknowledged counts only for the look at the source in which it was, or after which it was made: the next look tells
 * what the marks' table really holds, and what it has lost is marked again.
 */
final class HistoryMarks {

    private final Ledger ledger;
    private final History history;
    private @Nullable VerifiedSource of;
    private long coveredSeq;

    HistoryMarks(Ledger ledger, History history) {
        this.ledger = ledger;
        this.history = history;
    }

    /**
     * @param seq the highest of what is to be inserted, read from the queue before this call
     * @return why it isn't covered, or null
     */
    @Nullable String cover(VerifiedSource source, long seq) {
        if (source != of) {
            of = source;
            coveredSeq = source.markedSeq();
        }
        if (seq <= coveredSeq) {
            return null;
        }
        LedgerMark mark = ledger.mark();
        if (mark.acceptedSeq() < seq) {
            throw new IllegalStateException(
                    "the ledger gave out " + seq + ", and says that it came to " + mark.acceptedSeq());
        }
        return switch (history.mark(source, mark)) {
            case MarkResult.Acknowledged() -> {
                coveredSeq = mark.acceptedSeq();
                yield null;
            }
            case MarkResult.Unknown(String reason) -> reason;
        };
    }
}
