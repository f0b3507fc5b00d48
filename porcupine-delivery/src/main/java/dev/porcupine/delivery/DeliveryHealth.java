package dev.porcupine.delivery;

import dev.porcupine.delivery.PassOutcome.Cause;
import dev.porcupine.delivery.PassOutcome.Idle;
import dev.porcupine.delivery.PassOutcome.Progressed;
import dev.porcupine.delivery.PassOutcome.Stalled;
import dev.porcupine.schema.Ticker;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs when delivery stalls, when the cause changes and when it goes on: once each, not per retry. */
final class DeliveryHealth {

    private static final Logger log = LoggerFactory.getLogger(DeliveryHealth.class);

    private final Ticker ticker;
    private @Nullable Cause cause;
    private long stalledAtNanos;
    private long failedPasses;

    DeliveryHealth(Ticker ticker) {
        this.ticker = ticker;
    }

    void note(PassOutcome outcome) {
        switch (outcome) {
            case Idle() -> recovered();
            case Progressed(int delivered, int quarantined, boolean fullBatchWaits) -> recovered();
            case Stalled(Cause now, String reason, @Nullable RuntimeException error) -> stalled(now, reason, error);
        }
    }

    private void stalled(Cause now, String reason, @Nullable RuntimeException error) {
        if (cause == null) {
            stalledAtNanos = ticker.nanos();
            failedPasses = 0;
        }
        failedPasses++;
        if (now == cause) {
            return;
        }
        cause = now;
        String message = "Delivery is stalled: " + now.meaning() + " (" + reason
                + "). Accepted events stay in the queue, and it is tried again on its own";
        if (now == Cause.UNEXPECTED) {
            log.error(message, error);
        } else {
            log.warn(message);
        }
    }

    private void recovered() {
        if (cause != null) {
            cause = null;
            log.info(
                    "Delivery goes on after {} s and {} failed passes",
                    Duration.ofNanos(ticker.nanos() - stalledAtNanos).toSeconds(),
                    failedPasses);
        }
    }
}
