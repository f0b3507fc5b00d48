package dev.porcupine.reconcile;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Repeats the removal pass on a thread of its own: at once while it gets on, less and less often while it can't. */
final class RemovalLoop extends PacedThread {

    private static final Duration IDLE = Duration.ofSeconds(1);
    private static final Duration WAITING_MAX = Duration.ofSeconds(2);
    private static final Duration STALLED_FIRST = Duration.ofSeconds(1);
    private static final Duration STALLED_MAX = Duration.ofSeconds(30);

    private static final Logger log = LoggerFactory.getLogger(RemovalLoop.class);

    private final RemovalPass pass;
    private Duration nextStall = STALLED_FIRST;

    RemovalLoop(RemovalPass pass) {
        super("porcupine-removal");
        this.pass = pass;
    }

    @Override
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
}
