package dev.porcupine.reconcile;

import dev.porcupine.history.EraseResult;
import dev.porcupine.history.Finding;
import dev.porcupine.history.History;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.history.Verification;
import dev.porcupine.history.VerifiedSource;
import dev.porcupine.ledger.DeliveryBarrier;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.Removal;
import dev.porcupine.ledger.Removals;
import dev.porcupine.reconcile.RemovalOutcome.Idle;
import dev.porcupine.reconcile.RemovalOutcome.Progressed;
import dev.porcupine.reconcile.RemovalOutcome.Stalled;
import dev.porcupine.reconcile.RemovalOutcome.Waiting;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the oldest project that is to be removed, some steps at a time (P2). A plain method that somebody else repeats; one thread at a
 * time.
 *
 * <p>The order is what makes it safe. First nobody may write (the fence, before this class has anything to do); then nothing is left that
 * could be read and carried to history; then nothing is carried any more; then history forgets, and is counted; and only then do the receipts go.
 * History is counted once more before the end, because that a server keeps to its time limits is its promise, not ours: a row that came after
 * all begins the deletion again.
 *
 * <p>Where it stands is in the ledger, so a crash between any two lines costs at most a step done again. Kept here is only the wait for
 * deliveries, which a restart begins anew.
 */
final class RemovalPass {

    /** Ledger transactions of one pass. Each takes its turn behind captures and settlements. */
    private static final int TRANSACTIONS_MAX = 16;

    /** Between two looks at a deletion that the server works on. */
    private static final Duration POLL = Duration.ofSeconds(2);

    private static final Logger log = LoggerFactory.getLogger(RemovalPass.class);

    private final Ledger ledger;
    private final Removals removals;
    private final History history;
    private final SourceWatch watch;
    private final RemovalMetrics metrics;
    private @Nullable ProjectId begun;
    private DeliveryBarrier.@Nullable Quiet quiet;

    RemovalPass(Ledger ledger, History history, SourceWatch watch, RemovalMetrics metrics) {
        this.ledger = ledger;
        this.removals = ledger.removals();
        this.history = history;
        this.watch = watch;
        this.metrics = metrics;
    }

    /** Whatever goes wrong is an outcome, never an exception. */
    RemovalOutcome run() {
        List<Removal> pending = removals.pending();
        if (pending.isEmpty()) {
            return new Idle();
        }
        Removal removal = pending.getFirst();
        begin(removal);
        RemovalOutcome outcome;
        try {
            outcome = switch (removal.stage()) {
                case QUEUE -> dropWaiting(removal);
                case DELIVERY -> awaitDeliveries(removal);
                case HISTORY -> withSource(source -> erase(removal, source));
                case RECEIPTS -> forget(removal);
                case DONE -> new Idle();
            };
        } catch (ProblemException e) {
            outcome = new Stalled(e.problem().code() + ": " + e.detail());
        }
        tell(removal, outcome);
        return outcome;
    }

    private void begin(Removal removal) {
        if (removal.project().equals(begun)) {
            return;
        }
        begun = removal.project();
        endQuiet();
        log.info(
                "Removing project {}, asked for at {}, stage {}",
                removal.project(),
                Instant.ofEpochMilli(removal.requestedAtMillis()),
                removal.stage().word());
    }

    private void tell(Removal before, RemovalOutcome outcome) {
        Removal after = removals.find(before.project()).orElse(before);
        metrics.removed(before.removed(), after.removed());
        switch (outcome) {
            case Stalled(String reason) -> {
                metrics.stalled();
                removals.hindered(before.project(), reason);
            }
            case Waiting(Duration _, String why) -> removals.hindered(before.project(), why);
            case Idle(), Progressed() -> {}
        }
        if (after.stage() != before.stage()) {
            log.info(
                    "Removal of project {}: {} ends, {}; gone so far: {}",
                    before.project(),
                    before.stage().word(),
                    after.done() ? "the project is removed" : after.stage().word() + " follows",
                    after.removed());
        }
    }

    private RemovalOutcome dropWaiting(Removal removal) {
        Removal now = removal;
        for (int n = 0; n < TRANSACTIONS_MAX && now.stage() == removal.stage(); n++) {
            now = removals.dropWaiting(removal.project());
        }
        return new Progressed();
    }

    private RemovalOutcome awaitDeliveries(Removal removal) {
        DeliveryBarrier.Quiet waiting = quiet;
        if (waiting == null) {
            waiting = ledger.deliveries().quiet();
            quiet = waiting;
        }
        Duration left = waiting.left(history.erasure().insertsLinger());
        if (!left.isZero()) {
            return new Waiting(
                    left, "an insert that may carry events of the project can still reach history for " + left);
        }
        removals.deliveriesEnded(removal.project());
        endQuiet();
        return new Progressed();
    }

    private void endQuiet() {
        DeliveryBarrier.Quiet waiting = quiet;
        quiet = null;
        if (waiting != null) {
            waiting.close();
        }
    }

    private RemovalOutcome erase(Removal removal, VerifiedSource source) {
        return switch (history.erasure().look(source, removal.project())) {
            case EraseResult.Failed(String reason) -> historyFailed(reason);
            case EraseResult.Empty() -> historyIsEmpty(removal.project());
            case EraseResult.Left(long before) -> {
                removals.historyHolds(removal.project(), before);
                yield switch (history.erasure().erase(source, removal.project())) {
                    case EraseResult.Failed(String reason) -> historyFailed(reason);
                    case EraseResult.Empty() -> historyIsEmpty(removal.project());
                    case EraseResult.Left(long after) ->
                        after < before
                                ? new Progressed()
                                : new Waiting(POLL, "history is deleting; it holds " + after + " rows of the project");
                };
            }
        };
    }

    private RemovalOutcome historyIsEmpty(ProjectId project) {
        Removal after = removals.historyEmpty(project);
        metrics.historyEmpty(after.removed().historyRows());
        return new Progressed();
    }

    private RemovalOutcome forget(Removal removal) {
        for (int n = 0; n < TRANSACTIONS_MAX; n++) {
            if (!removals.forget(removal.project())) {
                return withSource(source -> finish(removal, source));
            }
        }
        return new Progressed();
    }

    private RemovalOutcome finish(Removal removal, VerifiedSource source) {
        return switch (history.erasure().look(source, removal.project())) {
            case EraseResult.Failed(String reason) -> historyFailed(reason);
            case EraseResult.Left(long rows) -> {
                log.warn(
                        "History has {} rows of project {} again, which came after all were deleted; they are deleted too",
                        rows,
                        removal.project());
                removals.historyNotEmpty(removal.project());
                yield new Progressed();
            }
            case EraseResult.Empty() -> {
                removals.finish(removal.project());
                yield new Progressed();
            }
        };
    }

    private RemovalOutcome historyFailed(String reason) {
        watch.doubt();
        return new Stalled(reason);
    }

    @FunctionalInterface
    private interface HistoryStep {
        RemovalOutcome with(VerifiedSource source);
    }

    private RemovalOutcome withSource(HistoryStep step) {
        return switch (watch.fresh()) {
            case Verification.Verified(VerifiedSource source)
            when !ledger.pin().trusts(source.identity()) ->
                new Stalled("the ledger is pinned to another history than the configured one");
            case Verification.Verified(VerifiedSource source)
            when source.holdsOtherLedgers() ->
                new Stalled(
                        "history holds events of another ledger too, whose projects may have the same numbers: see history_shared"
                                + " in docs/reference/findings.md. Nothing is deleted");
            case Verification.Verified(VerifiedSource source) -> step.with(source);
            case Verification.Refused(List<Finding> findings) ->
                new Stalled(findings.stream()
                        .map(finding -> finding.code() + ": " + finding.detail())
                        .collect(Collectors.joining("; ")));
        };
    }
}
