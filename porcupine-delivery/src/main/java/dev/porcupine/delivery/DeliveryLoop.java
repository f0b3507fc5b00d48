package dev.porcupine.delivery;

import dev.porcupine.delivery.PassOutcome.Idle;
import dev.porcupine.delivery.PassOutcome.Progressed;
import dev.porcupine.delivery.PassOutcome.Stalled;
import dev.porcupine.ledger.Ledger;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.TriggerContext;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Repeats the delivery pass on a thread of its own, so that a hung store starves no other schedule. When the process stops, the web
 * server goes first, then this loop drains what was captured until a pass fails or time is up; the ledger keeps the rest.
 */
final class DeliveryLoop implements SmartLifecycle {

    /** Below the web server's own phases: started before it, stopped after it has answered its last request. */
    static final int PHASE = WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE - 1_024;

    private static final Logger log = LoggerFactory.getLogger(DeliveryLoop.class);

    private final DeliveryPass pass;
    private final Ledger ledger;
    private final DeliverySettings settings;
    private final DeliveryMetrics metrics;
    private final DeliveryHealth health;
    private final Backoff backoff;
    private volatile Duration pause = Duration.ZERO;
    private volatile boolean stopping;
    private volatile @Nullable ThreadPoolTaskScheduler scheduler;
    private volatile @Nullable ScheduledFuture<?> schedule;

    DeliveryLoop(
            DeliveryPass pass,
            Ledger ledger,
            DeliverySettings settings,
            DeliveryMetrics metrics,
            DeliveryHealth health,
            Backoff backoff) {
        this.pass = pass;
        this.ledger = ledger;
        this.settings = settings;
        this.metrics = metrics;
        this.health = health;
        this.backoff = backoff;
    }

    @Override
    public void start() {
        stopping = false;
        pass.resume();
        pause = Duration.ZERO;
        ThreadPoolTaskScheduler thread = new ThreadPoolTaskScheduler();
        thread.setPoolSize(1);
        thread.setThreadNamePrefix("porcupine-delivery-");
        thread.setDaemon(true);
        thread.initialize();
        scheduler = thread;
        schedule = thread.schedule(this::runOnce, this::nextExecution);
    }

    /** One pass, and how long to pause after it. */
    void runOnce() {
        PassOutcome outcome = pass.run();
        health.note(outcome);
        pause = switch (outcome) {
            case Idle() -> well(settings.linger());
            case Progressed(int delivered, int quarantined, boolean fullBatchWaits) ->
                well(fullBatchWaits ? Duration.ZERO : settings.linger());
            case Stalled stalled -> {
                Duration next = backoff.next();
                metrics.backoff(next);
                yield next;
            }
        };
    }

    @Nullable Instant nextExecution(TriggerContext context) {
        return stopping ? null : context.getClock().instant().plus(pause);
    }

    @Override
    public void stop() {
        ThreadPoolTaskScheduler thread = scheduler;
        if (thread == null) {
            return;
        }
        stopping = true;
        ScheduledFuture<?> repeating = schedule;
        if (repeating != null) {
            repeating.cancel(false);
        }
        awaitDrain(thread.submit(this::drain));
        // Interrupts a pass that is still waiting for history: nothing of it was acknowledged, so nothing of it is
        // settled.
        thread.shutdown();
        scheduler = null;
        long kept = ledger.status().queueEvents();
        if (kept == 0) {
            log.info("Delivery stopped with an empty queue");
        } else {
            log.info("Delivery stopped; {} events stay in the ledger and are delivered after the next start", kept);
        }
    }

    @Override
    public boolean isRunning() {
        return scheduler != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    private void awaitDrain(Future<?> drain) {
        try {
            drain.get(settings.drainMax().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            log.info(
                    "Draining took longer than {} s, leaving the rest",
                    settings.drainMax().toSeconds());
        } catch (ExecutionException e) {
            log.error("Draining failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            pass.halt();
        }
    }

    private void drain() {
        PassOutcome outcome;
        do {
            outcome = pass.run();
            health.note(outcome);
        } while (outcome instanceof Progressed && !Thread.currentThread().isInterrupted());
    }

    private Duration well(Duration next) {
        backoff.reset();
        metrics.backoff(Duration.ZERO);
        return next;
    }
}
