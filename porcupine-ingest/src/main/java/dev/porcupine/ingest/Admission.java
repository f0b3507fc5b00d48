package dev.porcupine.ingest;

import dev.porcupine.history.Finding;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.history.Verification;
import dev.porcupine.history.VerifiedSource;
import dev.porcupine.ledger.AcceptResult;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LedgerStatus;
import dev.porcupine.schema.Problem;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Whether events that the local record does not know may be looked up and stored now. Duplicates never come here: they are answered in any
 * state. The queue's budgets are the ledger's to check, in the transaction that uses them.
 */
final class Admission {

    private final Ledger ledger;
    private final SourceWatch watch;

    Admission(Ledger ledger, SourceWatch watch) {
        this.ledger = ledger;
        this.watch = watch;
    }

    sealed interface Verdict {

        /**
         * @param source verified, and the pinned one
         */
        record Open(VerifiedSource source) implements Verdict {}

        record Closed(AcceptResult.Refused refusal) implements Verdict {}
    }

    /** Whether receipts are over their limit, so that nothing new may come in (P34). */
    boolean overLimit() {
        return ledger.status().overLimit();
    }

    AcceptResult.Refused overLimitRefusal() {
        LedgerStatus status = ledger.status();
        return new AcceptResult.Refused(
                Problem.LEDGER_OVER_LIMIT,
                "the ledger holds " + status.receipts() + " receipts, its limit is " + status.receiptLimit() + ", and "
                        + status.unprovenReceipts() + " of them are not proven by history yet");
    }

    /**
     * Why nothing new may come in, although the ledger's record is complete; null where nothing stands against it.
     *
     * <p>A complete record asks history nothing (P14), but an old copy of a ledger looks complete as well. So what history has proven against this
     * ledger holds in every mode; and a ledger with a pin waits after each start until the pinned source was once found sound (P38, P39).
     */
    AcceptResult.@Nullable Refused barrier() {
        List<Finding> barriers = watch.barriers();
        if (!barriers.isEmpty()) {
            return new AcceptResult.Refused(
                    Problem.LEDGER_FORKED,
                    "history shows that this ledger must not accept anything: " + codes(barriers));
        }
        return ledger.pin().pinned().isPresent() && !watch.verifiedOnce() ? unverified() : null;
    }

    private AcceptResult.Refused unverified() {
        String found = watch.current() instanceof Verification.Refused(List<Finding> findings)
                ? codes(findings)
                : "it was found sound just now";
        return new AcceptResult.Refused(
                Problem.HISTORY_UNAVAILABLE,
                "the ledger relies on a pinned history, which was not found sound since the start: " + found);
    }

    private static String codes(List<Finding> findings) {
        return findings.stream().map(Finding::code).collect(Collectors.joining(", "));
    }

    /** For a batch that needs history: its receipts may have been evicted. */
    Verdict history() {
        if (overLimit()) {
            return new Verdict.Closed(overLimitRefusal());
        }
        return source();
    }

    /** For a mutation that needs history: it adds no receipt. */
    Verdict source() {
        AcceptResult.Refused barrier = barrier();
        if (barrier != null) {
            return new Verdict.Closed(barrier);
        }
        return switch (watch.current()) {
            case Verification.Refused(List<Finding> findings) ->
                closed(
                        Problem.HISTORY_UNAVAILABLE,
                        "history is needed to tell what was accepted before, and can't be trusted now: "
                                + codes(findings));
            case Verification.Verified(VerifiedSource source) ->
                ledger.pin().trusts(source.identity())
                        ? new Verdict.Open(source)
                        : closed(
                                Problem.SOURCE_CHANGED,
                                "history is needed to tell what was accepted before, and the configured one is not the"
                                        + " one that the ledger is pinned to");
        };
    }

    private static Verdict closed(Problem problem, String detail) {
        return new Verdict.Closed(new AcceptResult.Refused(problem, detail));
    }
}
