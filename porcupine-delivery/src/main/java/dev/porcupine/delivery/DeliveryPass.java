package dev.porcupine.delivery;

import dev.porcupine.delivery.BatchDelivery.RefusedRow;
import dev.porcupine.delivery.PassOutcome.Cause;
import dev.porcupine.delivery.PassOutcome.Idle;
import dev.porcupine.delivery.PassOutcome.Progressed;
import dev.porcupine.delivery.PassOutcome.Stalled;
import dev.porcupine.history.Finding;
import dev.porcupine.history.History;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.history.Verification;
import dev.porcupine.history.VerifiedSource;
import dev.porcupine.ledger.DeliveryBarrier;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LedgerStatus;
import dev.porcupine.ledger.QueuedEvent;
import dev.porcupine.schema.ProblemException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the oldest queued events to history: verify the source, mark, insert, settle. A plain method that somebody else repeats; one thread
 * at a time.
 *
 * <p>A row that history refuses for its own sake goes to quarantine, because it would block all that come after it. But a refusal
 * can be the table's fault (a constraint that no row meets, a column changed by hand), and then the whole queue would follow. So a
 * row refused alone is quarantined only where another row was acknowledged in the same pass, or where it was refused alone in
 * {@value #ALONE_PASSES} passes, with the backoff of a stalled delivery between them.
 */
final class DeliveryPass {

    /** Passes in which a row must be refused alone when nothing else was acknowledged beside it. */
    static final int ALONE_PASSES = 3;

    /** Eviction transactions of one pass that no settlement paid for; the next pass goes on. */
    private static final int EVICTIONS_MAX = 64;

    private static final Logger log = LoggerFactory.getLogger(DeliveryPass.class);

    private final Ledger ledger;
    private final History history;
    private final SourceWatch watch;
    private final DeliveryMetrics metrics;
    private final BatchSize size;
    private final HistoryMarks marks;

    private Map<Long, Integer> timesRefusedAlone = Map.of();
    private volatile boolean halted;

    DeliveryPass(
            Ledger ledger, History history, SourceWatch watch, DeliverySettings settings, DeliveryMetrics metrics) {
        this.ledger = ledger;
        this.history = history;
        this.watch = watch;
        this.metrics = metrics;
        this.marks = new HistoryMarks(ledger, history);
        this.size = new BatchSize(settings.rowsMax(), settings.bytesMax());
    }

    /** Delivers at most one batch. Whatever goes wrong is an outcome, never an exception. */
    PassOutcome run() {
        PassOutcome outcome;
        // Entered before the queue is read: what is read may be dropped meanwhile, by the removal of its project.
        try (DeliveryBarrier.Carrier carrier = ledger.deliveries().enter()) {
            outcome = deliverOldest();
            if (everyInsertEnded(outcome)) {
                carrier.allClear();
            }
        } catch (ProblemException e) {
            outcome = new Stalled(Cause.LEDGER_UNAVAILABLE, e.problem().code() + ": " + e.detail(), null);
        } catch (RuntimeException e) {
            outcome = new Stalled(Cause.UNEXPECTED, e.toString(), e);
        }
        if (outcome instanceof Stalled stalled) {
            // A refusal is looked at again anyway; after anything else only another look tells whether history is to
            // blame.
            if (stalled.cause() != Cause.SOURCE_REFUSED) {
                watch.doubt();
            }
            metrics.stalled(stalled.cause());
        }
        return outcome;
    }

    private static boolean everyInsertEnded(PassOutcome outcome) {
        return switch (outcome) {
            case Idle(), Progressed _ -> true;
            case Stalled stalled ->
                switch (stalled.cause()) {
                    case SOURCE_REFUSED, ROWS_REFUSED -> true;
                    case HISTORY_UNCLEAR, LEDGER_UNAVAILABLE, UNEXPECTED -> false;
                };
        };
    }

    /** Makes a pass that is under way end after its current insert. */
    void halt() {
        halted = true;
    }

    void resume() {
        halted = false;
    }

    private PassOutcome deliverOldest() {
        List<QueuedEvent> batch = ledger.queue().oldest(size.rows(), size.bytes());
        if (batch.isEmpty()) {
            metrics.queueEmpty();
        } else {
            metrics.oldest(batch.getFirst().event().receivedAtMillis());
        }
        // Without anything to deliver or to forget, nobody asks history anything.
        if (batch.isEmpty() && !ledger.status().overLimit()) {
            return new Idle();
        }
        return switch (watch.fresh()) {
            case Verification.Verified(VerifiedSource source)
            when !ledger.pin().trusts(source.identity()) ->
                new Stalled(
                        Cause.SOURCE_REFUSED, "the ledger is pinned to another history than the configured one", null);
            case Verification.Verified(VerifiedSource source) -> {
                evictExcess();
                yield batch.isEmpty() ? new Idle() : deliver(batch, source);
            }
            case Verification.Refused(List<Finding> findings) ->
                new Stalled(Cause.SOURCE_REFUSED, describe(findings), null);
        };
    }

    /**
     * A ledger can be over its limit without a settlement that pays for it: the limit was lowered, or leases were in the way. Only while
     * history is sound: what is forgotten here, it alone remembers.
     */
    private void evictExcess() {
        for (int transactions = 0; transactions < EVICTIONS_MAX && !halted; transactions++) {
            if (ledger.eviction().evict() == 0) {
                return;
            }
        }
    }

    private PassOutcome deliver(List<QueuedEvent> batch, VerifiedSource source) {
        String unmarked = marks.cover(source, batch.getLast().seq());
        if (unmarked != null) {
            return new Stalled(Cause.HISTORY_UNCLEAR, unmarked, null);
        }
        BatchDelivery delivery = new BatchDelivery(ledger.queue(), history, source, metrics, () -> halted);
        delivery.deliver(batch);
        int quarantined = quarantine(delivery);
        if (delivery.unclear() != null) {
            size.shrink();
            return new Stalled(Cause.HISTORY_UNCLEAR, delivery.unclear(), null);
        }
        if (delivery.delivered() + quarantined == 0) {
            return new Stalled(Cause.ROWS_REFUSED, describeRefusals(delivery.refusedAlone()), null);
        }
        size.grow();
        LedgerStatus status = ledger.status();
        if (status.queueEvents() == 0) {
            metrics.queueEmpty();
        }
        boolean fullBatchWaits = status.queueEvents() >= size.rows() || status.queueBytes() >= size.bytes();
        return new Progressed(delivery.delivered(), quarantined, fullBatchWaits);
    }

    private int quarantine(BatchDelivery delivery) {
        Map<Long, Integer> times = new HashMap<>();
        Map<String, List<QueuedEvent>> condemned = new LinkedHashMap<>();
        int rows = 0;
        for (RefusedRow row : delivery.refusedAlone()) {
            long seq = row.event().seq();
            int count = timesRefusedAlone.getOrDefault(seq, 0) + 1;
            if (delivery.delivered() > 0 || count >= ALONE_PASSES) {
                condemned
                        .computeIfAbsent(row.reason(), reason -> new ArrayList<>())
                        .add(row.event());
                rows++;
            } else {
                times.put(seq, count);
            }
        }
        timesRefusedAlone = times;
        condemned.forEach((reason, events) -> {
            ledger.queue().quarantine(events, reason);
            metrics.quarantined(events.size());
        });
        if (rows > 0) {
            log.warn(
                    "Quarantined {} events that history refuses for their own sake, the first of project {};"
                            + " GET /api/v1/projects/{}/quarantine lists them with their reasons",
                    rows,
                    firstProject(condemned),
                    firstProject(condemned));
        }
        return rows;
    }

    private static String firstProject(Map<String, List<QueuedEvent>> condemned) {
        return condemned
                .values()
                .iterator()
                .next()
                .getFirst()
                .event()
                .identity()
                .project()
                .toString();
    }

    private static String describeRefusals(List<RefusedRow> rows) {
        String first =
                rows.isEmpty() ? "" : ", the first because " + rows.getFirst().reason();
        return rows.size() + " rows were refused alone" + first;
    }

    private static String describe(List<Finding> findings) {
        return findings.stream()
                .map(finding -> finding.code() + ": " + finding.detail())
                .collect(Collectors.joining("; "));
    }
}
