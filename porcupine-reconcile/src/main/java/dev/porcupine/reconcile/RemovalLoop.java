package dev.porcupine.reconcile;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.TriggerContext;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Repeats the removal pass on a thread of its own: at once while it gets on, less and less often while it can't. */
final class RemovalLoop implements SmartLifecycle {

    private static final Duration IDLE = Duration.ofSeconds(1);
    private static final Duration WAITING_MAX = Duration.ofSeconds(2);
    private static final Duration STALLED_FIRST = Duration.ofSeconds(1);
    private static final Duration STALLED_MAX = Duration.ofSeconds(30);

    private static final Logger log = LoggerFactory.getLogger(RemovalLoop.class);

    private final RemovalPass pass;
    private Duration nextStall = STALLED_FIRST;
    private volatile Duration pause = Duration.ZERO;
    private volatile @Nullable ThreadPoolTaskScheduler scheduler;
    private volatile @Nullable ScheduledFuture<?> schedule;

    RemovalLoop(RemovalPass pass) {
        this.pass = pass;
    }

    /** One pass, and how long to pause after it. */
    Duration runOnce() {
        return switch (pass.run()) {
            case RemovalOutcome.Idle() -> well(IDLE);
            case RemovalOutcome.Progressed() -> well(Duration.ZERO);
            case RemovalOutcome.Waiting(Duration atLeast, String _) ->
                well(atLeast.compareTo(WAITING_MAX) < 0 ? atLeast : WAITING_MAX);
            case RemovalOutcome.Stalled(String reason) -> stalled(reason);
        };
    }

    private Duration well(Duration next) {
        if (nextStall.compareTo(STALLED_FIRST) > 0) {
            log.info("The removal of a project goes on");
        }
        nextStall = STALLED_FIRST;
        return next;
    }

    private Duration stalled(String reason) {
        Duration now = nextStall;
        if (now.equals(STALLED_FIRST)) {
            log.warn("The removal of a project is stalled: {}. It is tried again on its own", reason);
        }
        Duration doubled = now.multipliedBy(2);
        nextStall = doubled.compareTo(STALLED_MAX) < 0 ? doubled : STALLED_MAX;
        return now;
    }

    @Override
    public void start() {
        ThreadPoolTaskScheduler thread = new ThreadPoolTaskScheduler();
        thread.setPoolSize(1);
        thread.setThreadNamePrefix("porcupine-removal-");
        thread.setDaemon(true);
        thread.initialize();
        scheduler = thread;
        schedule = thread.schedule(() -> pause = runOnce(), this::nextExecution);
    }

    private @Nullable Instant nextExecution(TriggerContext context) {
        return scheduler == null ? null : context.getClock().instant().plus(pause);
    }

    @Override
    public void stop() {
        ThreadPoolTaskScheduler thread = scheduler;
        scheduler = null;
        ScheduledFuture<?> repeating = schedule;
        if (repeating != null) {
            repeating.cancel(false);
        }
        if (thread != null) {
            thread.shutdown();
        }
    }

    @Override
    public boolean isRunning() {
        return scheduler != null;
    }
}
