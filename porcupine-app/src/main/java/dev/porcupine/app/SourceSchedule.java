package dev.porcupine.app;

import dev.porcupine.history.SourceWatch;
import org.springframework.scheduling.annotation.Scheduled;

/** Repeats the look at history away from requests, at once where somebody doubts it. */
final class SourceSchedule {

    private final SourceWatch watch;

    SourceSchedule(SourceWatch watch) {
        this.watch = watch;
    }

    @Scheduled(fixedDelayString = "PT0.5S")
    void pass() {
        watch.pass();
    }
}
