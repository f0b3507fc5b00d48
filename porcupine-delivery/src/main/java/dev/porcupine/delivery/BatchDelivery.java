package dev.porcupine.delivery;

import dev.porcupine.delivery.DeliveryMetrics.InsertAnswer;
import dev.porcupine.history.History;
import dev.porcupine.history.InsertResult;
import dev.porcupine.history.VerifiedSource;
import dev.porcupine.ledger.EventQueue;
import dev.porcupine.ledger.QueuedEvent;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One batch on its way to history. What is acknowledged is settled at once, so that a later failure doesn't repeat it. What is
 * refused is halved until the rows that history refuses stand alone; what to do about those is not decided here.
 *
 * <p>No order of failures loses an event: a row leaves the queue only by {@code settle}, and that is called only with rows of an
 * insert that was acknowledged. A crash between the two inserts the rows again, which identity and revision make harmless (P9).
 */
final class BatchDelivery {

    /**
     * Inserts in one pass. One poison row among 10,000 takes about 28; when many rows are poison the rest waits for the next pass, so
     * that source verification and shutdown are never far.
     */
    static final int INSERTS_MAX = 256;

    /** Rows found refused alone in one pass, and so the most that one pass can quarantine. */
    static final int REFUSED_ALONE_MAX = 64;

    private final EventQueue queue;
    private final History history;
    private final VerifiedSource source;
    private final DeliveryMetrics metrics;
    private final BooleanSupplier halted;

    private final Deque<List<QueuedEvent>> refusedRanges = new ArrayDeque<>();
    private final List<RefusedRow> refusedAlone = new ArrayList<>();
    private int inserts;
    private int delivered;
    private @Nullable String unclear;

    /** A row that history refused when it was offered nothing else. */
    record RefusedRow(QueuedEvent event, String reason) {}

    BatchDelivery(
            EventQueue queue, History history, VerifiedSource source, DeliveryMetrics metrics, BooleanSupplier halted) {
        this.queue = queue;
        this.history = history;
        this.source = source;
        this.metrics = metrics;
        this.halted = halted;
    }

    /** Offers the batch to history, dividing what it refuses, until all is decided or a bound is reached. */
    void deliver(List<QueuedEvent> batch) {
        offer(batch);
        while (!refusedRanges.isEmpty() && mayGoOn()) {
            List<QueuedEvent> range = refusedRanges.pop();
            int middle = range.size() / 2;
            // Both halves before going deeper: when poison rows stand together, the other half is acknowledged early,
            // which shows
            // that the table is sound. The older half is offered last and so divided first.
            offer(range.subList(middle, range.size()));
            if (mayGoOn()) {
                offer(range.subList(0, middle));
            }
        }
    }

    int delivered() {
        return delivered;
    }

    List<RefusedRow> refusedAlone() {
        return refusedAlone;
    }

    /** What history said when it gave no clear answer, or null. */
    @Nullable String unclear() {
        return unclear;
    }

    private boolean mayGoOn() {
        return unclear == null
                && inserts < INSERTS_MAX
                && refusedAlone.size() < REFUSED_ALONE_MAX
                && !halted.getAsBoolean();
    }

    private void offer(List<QueuedEvent> range) {
        inserts++;
        long started = System.nanoTime();
        InsertResult result =
                history.insert(source, range.stream().map(QueuedEvent::event).toList());
        switch (result) {
            case InsertResult.Acknowledged() -> {
                metrics.answered(InsertAnswer.ACKNOWLEDGED);
                queue.settle(range);
                delivered += range.size();
                metrics.delivered(range.size(), Duration.ofNanos(System.nanoTime() - started));
            }
            case InsertResult.RowsRefused(String reason) -> {
                metrics.answered(InsertAnswer.ROWS_REFUSED);
                if (range.size() == 1) {
                    refusedAlone.add(new RefusedRow(range.getFirst(), reason));
                } else {
                    refusedRanges.push(range);
                }
            }
            case InsertResult.Unknown(String reason) -> {
                metrics.answered(InsertAnswer.UNKNOWN);
                unclear = reason;
            }
        }
    }
}
