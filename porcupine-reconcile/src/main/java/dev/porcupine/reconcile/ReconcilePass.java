package dev.porcupine.reconcile;

import dev.porcupine.history.History;
import dev.porcupine.history.ProbeFailure;
import dev.porcupine.history.ProbePurpose;
import dev.porcupine.history.ProbeResult;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.history.Verification;
import dev.porcupine.history.VerifiedSource;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LedgerStatus;
import dev.porcupine.ledger.UnprovenReceipts;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.schema.Ticker;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proves at most 256 receipts that have no provenance yet, and lets the ledger evict (P31). A plain method that somebody else repeats; one
 * thread at a time. The cursor and every mark are in the ledger, so that a crash between any two lines costs one stretch looked at
 * again; what is kept here only tells people how it goes.
 */
final class ReconcilePass {

    /** The probe's own five seconds and some waiting for its slot. */
    private static final Duration LOOKUP = Duration.ofSeconds(7);

    /** Failed lookups of one stretch before the receipts behind it get their turn. */
    private static final int ATTEMPTS_MAX = 3;

    private static final Logger log = LoggerFactory.getLogger(ReconcilePass.class);

    private final Ledger ledger;
    private final History history;
    private final SourceWatch watch;
    private final Ticker ticker;

    private Map<ProjectId, Long> missingInRound = new HashMap<>();
    private long provenInRound;
    private long unansweredInRound;
    private int failedAttempts;
    private long provenEver;
    private final long startedAtNanos;
    private volatile Convergence convergence = new Convergence.Converged();
    private boolean lastRoundProvedNothing;
    private Map<ProjectId, Long> missingInLastRound = Map.of();

    ReconcilePass(Ledger ledger, History history, SourceWatch watch, Ticker ticker) {
        this.ledger = ledger;
        this.history = history;
        this.watch = watch;
        this.ticker = ticker;
        this.startedAtNanos = ticker.nanos();
    }

    Convergence convergence() {
        return convergence;
    }

    /** Whatever goes wrong is an outcome, never an exception. */
    ReconcileOutcome run() {
        ReconcileOutcome outcome;
        try {
            outcome = prove();
        } catch (ProblemException e) {
            outcome = new ReconcileOutcome.Stalled(e.problem().code() + ": " + e.detail());
        }
        tell(judge());
        return outcome;
    }

    private ReconcileOutcome prove() {
        LedgerStatus status = ledger.status();
        if (status.receiptLimit() == 0 || status.unprovenReceipts() == 0) {
            lastRoundProvedNothing = false;
            return new ReconcileOutcome.Idle();
        }
        if (!(watch.current() instanceof Verification.Verified(VerifiedSource source))
                || !ledger.pin().trusts(source.identity())) {
            return new ReconcileOutcome.Stalled("history can't be trusted now");
        }
        UnprovenReceipts stretch = ledger.reconciliation().next();
        if (failedAttempts > 0) {
            stretch = stretch.ofItsFirstProject();
        }
        Set<EventIdentity> asked = new HashSet<>(stretch.identities());
        Set<EventIdentity> found = Set.of();
        if (!asked.isEmpty()) {
            switch (history.probe(source, asked, LOOKUP, ProbePurpose.RECONCILE)) {
                case ProbeResult.Complete(Set<EventIdentity> known) -> found = known;
                case ProbeResult.Failed(ProbeFailure failure, String detail) -> {
                    watch.doubt();
                    return failed(stretch, failure + ": " + detail);
                }
            }
        }
        failedAttempts = 0;
        return note(stretch, found, settle(stretch, found, source));
    }

    /** A history that holds none of these gives no provenance, so it is not pinned for that: it may be the wrong one. */
    private int settle(UnprovenReceipts stretch, Set<EventIdentity> found, VerifiedSource source) {
        if (found.isEmpty()) {
            ledger.reconciliation().stepOver(stretch);
            return 0;
        }
        return ledger.reconciliation().settle(stretch, found, source.identity());
    }

    /**
     * What history can't say of some receipts must not keep the others unproven: the stretch is asked for again project by project, and
     * then that project is passed over for this round.
     */
    private ReconcileOutcome failed(UnprovenReceipts stretch, String reason) {
        failedAttempts++;
        ProjectId project = stretch.identities().getFirst().project();
        if (failedAttempts < ATTEMPTS_MAX) {
            return new ReconcileOutcome.Stalled(reason);
        }
        failedAttempts = 0;
        ledger.reconciliation().stepOver(stretch.toTheEndOfItsProject());
        unansweredInRound += stretch.identities().size();
        log.warn(
                "History does not answer for old receipts of project {}; they are asked for again in the next round: {}",
                project,
                reason);
        return stretch.last()
                ? roundDone()
                : new ReconcileOutcome.Looked(0, stretch.identities().size());
    }

    private ReconcileOutcome note(UnprovenReceipts stretch, Set<EventIdentity> found, int proven) {
        provenInRound += proven;
        provenEver += proven;
        for (EventIdentity identity : stretch.identities()) {
            if (!found.contains(identity)) {
                missingInRound.merge(identity.project(), 1L, Long::sum);
            }
        }
        if (!stretch.last()) {
            return new ReconcileOutcome.Looked(proven, stretch.identities().size() - found.size());
        }
        return roundDone();
    }

    private ReconcileOutcome roundDone() {
        long missing =
                missingInRound.values().stream().mapToLong(Long::longValue).sum();
        long proven = provenInRound;
        long unanswered = unansweredInRound;
        lastRoundProvedNothing = proven == 0 && missing > 0 && unanswered == 0;
        missingInLastRound = Map.copyOf(missingInRound);
        missingInRound = new HashMap<>();
        provenInRound = 0;
        unansweredInRound = 0;
        return new ReconcileOutcome.RoundDone(proven, missing + unanswered);
    }

    private Convergence judge() {
        LedgerStatus status = ledger.status();
        if (!status.overLimit()) {
            return new Convergence.Converged();
        }
        long excess = status.receipts() - status.receiptLimit();
        return lastRoundProvedNothing
                ? new Convergence.Blocked(excess, missingInLastRound)
                : new Convergence.Converging(excess, status.unprovenReceipts(), secondsLeft(excess));
    }

    private long secondsLeft(long excess) {
        long seconds = Duration.ofNanos(ticker.nanos() - startedAtNanos).toSeconds();
        return provenEver == 0 || seconds == 0 ? -1 : excess * seconds / provenEver;
    }

    /** Says something when the state changes, not at each pass. */
    private void tell(Convergence now) {
        Convergence before = convergence;
        convergence = now;
        if (before.word().equals(now.word())) {
            return;
        }
        switch (now) {
            case Convergence.Converged _ -> log.info("The ledger has converged: its receipts are within the limit");
            case Convergence.Converging(long excess, long unproven, long _) ->
                log.info(
                        "The ledger is {} receipts over its limit, {} not proven yet; new events are refused until it has"
                                + " converged, duplicates are answered",
                        excess,
                        unproven);
            case Convergence.Blocked(long excess, Map<ProjectId, Long> missing) ->
                log.warn(
                        "The ledger is {} receipts over its limit and history does not hold the events of those left, by"
                                + " project: {}. New events are refused. Restore the missing history, or raise"
                                + " porcupine.hot-receipt-limit or set it to 0; never delete receipts",
                        excess,
                        missing);
        }
    }
}
