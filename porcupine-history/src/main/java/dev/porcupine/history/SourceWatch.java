package dev.porcupine.history;

import dev.porcupine.history.Verification.Refused;
import dev.porcupine.history.Verification.Verified;
import dev.porcupine.schema.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last look at history, kept for those who must not wait for one: requests, health, reports. Somebody else repeats {@link #pass}, off the
 * request path. Unknown is not sound: before the first look nothing is verified. Thread-safe.
 */
public final class SourceWatch {

    /** How old a look may get before it is repeated. */
    public static final Duration REPEAT_AFTER = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(SourceWatch.class);

    private static final Verification NOT_LOOKED_YET = new Refused(
            List.of(new Finding("not_verified_yet", "history was not looked at yet; that follows at once")));

    private final History history;
    private final Ticker ticker;
    private volatile Look last;

    /**
     * @param atNanos when it began
     * @param doubted whether something failed since, so that it is to be repeated at once
     */
    private record Look(Verification verification, long atNanos, boolean doubted) {}

    public SourceWatch(History history, Ticker ticker) {
        this.history = history;
        this.ticker = ticker;
        this.last = new Look(NOT_LOOKED_YET, ticker.nanos(), true);
    }

    public String kind() {
        return history.kind();
    }

    /** What the last look found. */
    public Verification current() {
        return last.verification();
    }

    /** Something that history said or did not say calls for another look soon. */
    public synchronized void doubt() {
        last = new Look(last.verification(), last.atNanos(), true);
    }

    /** Looks again where the last look is old or doubted; else does nothing. */
    public void pass() {
        Look look = last;
        if (look.doubted() || ticker.nanos() - look.atNanos() >= REPEAT_AFTER.toNanos()) {
            look();
        }
    }

    /** Looks now. Says something only when what it finds has changed. */
    public Verification look() {
        long atNanos = ticker.nanos();
        Verification now = history.verify();
        Verification before;
        synchronized (this) {
            before = last.verification();
            last = new Look(now, atNanos, false);
        }
        if (!codes(before).equals(codes(now))) {
            tell(now);
        }
        return now;
    }

    private void tell(Verification now) {
        switch (now) {
            case Verified(VerifiedSource source) ->
                LOG.info("History ({}) verified: table {}", history.kind(), source.tableUuid());
            case Refused(List<Finding> findings) ->
                LOG.warn(
                        "History ({}) can't be trusted now: nothing is delivered, and captures that need it are refused. Findings: {}",
                        history.kind(),
                        findings.stream()
                                .map(finding -> finding.code() + ": " + finding.detail())
                                .collect(Collectors.joining("; ")));
        }
    }

    /** Details may count seconds or attempts; only another kind of finding is a change. */
    private static List<String> codes(Verification verification) {
        return switch (verification) {
            case Verified verified -> List.of();
            case Refused refused ->
                refused.findings().stream().map(Finding::code).sorted().toList();
        };
    }
}
