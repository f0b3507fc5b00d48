package dev.porcupine.app;

import dev.porcupine.history.SourceWatch;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Repeats the look at history away from requests, at once where somebody doubts it. The first one is made before the web server opens: what
 * it proves against the ledger holds from the first request on. History that gives no answer delays that by its deadline, no longer.
 */
final class SourceSchedule implements SmartLifecycle {

    private volatile boolean running;

    private final SourceWatch watch;

    SourceSchedule(SourceWatch watch) {
        this.watch = watch;
    }

    @Override
    public void start() {
        running = true;
        watch.pass();
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Before the web server and before delivery, both of which begin by asking what was found. */
    @Override
    public int getPhase() {
        return WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE - 2_048;
    }

    @Scheduled(fixedDelayString = "PT0.5S")
    void pass() {
        watch.pass();
    }
}
