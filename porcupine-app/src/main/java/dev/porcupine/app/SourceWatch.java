package dev.porcupine.app;

import dev.porcupine.history.Finding;
import dev.porcupine.history.History;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Looks at history on a schedule, away from requests, so that health and {@code /actuator/porcupine} answer at once and say why
 * nothing is delivered. Delivery and later the probes verify for themselves; nothing is accepted on this state.
 */
final class SourceWatch {

    private static final Logger log = LoggerFactory.getLogger(SourceWatch.class);

    private final History history;
    private volatile SourceState state = SourceState.NOT_LOOKED_YET;

    SourceWatch(History history) {
        this.history = history;
    }

    SourceState state() {
        return state;
    }

    String kind() {
        return history.kind();
    }

    /** One pass. Says something only when what it finds has changed. */
    @Scheduled(fixedDelayString = "PT5S")
    void look() {
        SourceState before = state;
        SourceState now = SourceState.of(history.verify());
        state = now;
        if (codes(before).equals(codes(now))) {
            return;
        }
        if (now.verified()) {
            log.info("History ({}) verified: table {}", history.kind(), now.tableUuid());
        } else {
            log.warn(
                    "History ({}) can't be trusted now; capture goes on into the queue, nothing is delivered. Findings: {}",
                    history.kind(),
                    now.findings().stream()
                            .map(finding -> finding.code() + ": " + finding.detail())
                            .collect(Collectors.joining("; ")));
        }
    }

    /** Details may count seconds or attempts; only another kind of finding is a change. */
    private static List<String> codes(SourceState state) {
        return state.findings().stream().map(Finding::code).sorted().toList();
    }
}
