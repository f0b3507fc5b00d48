package dev.porcupine.reconcile;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.TriggerContext;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Repeats a pass on a thread of its own; each says how long to pause after it. Ends with the service. */
abstract class PacedThread implements SmartLifecycle {

    private final String name;
    private volatile Duration pause = Duration.ZERO;
    private volatile @Nullable ThreadPoolTaskScheduler scheduler;
    private volatile @Nullable ScheduledFuture<?> schedule;

    /**
     * @param name of the thread, for logs and dumps
     */
    PacedThread(String name) {
        this.name = name;
    }

    /** One pass, and how long to pause after it. */
    abstract Duration runOnce();

    @Override
    public void start() {
        ThreadPoolTaskScheduler thread = new ThreadPoolTaskScheduler();
        thread.setPoolSize(1);
        thread.setThreadNamePrefix(name + "-");
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
