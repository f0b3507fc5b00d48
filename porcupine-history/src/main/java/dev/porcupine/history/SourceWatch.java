package dev.porcupine.history;

import dev.porcupine.history.Verification.Refused;
import dev.porcupine.history.Verification.Verified;
import dev.porcupine.schema.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
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
            List.of(FindingCode.NOT_VERIFIED_YET.finding("history was not looked at yet; that follows at once")));

    private final History history;
    private final SourceTrust trust;
    private final Ticker ticker;
    private final ReentrantLock oneLook = new ReentrantLock();
    private final AtomicLong begun = new AtomicLong();
    private volatile Look last;
    private List<String> told = codes(NOT_LOOKED_YET);
    private volatile List<Finding> barriers = List.of();
    private volatile boolean verifiedOnce;
    private long doubts;

    /**
     * @param atNanos when it began
     * @param doubted whether something failed since, so that it is to be repeated at once
     */
    private record Look(Verification verification, long atNanos, boolean doubted) {}

    public SourceWatch(History history, Ticker ticker) {
        this(history, SourceTrust.ANY, ticker);
    }

    /**
     * @param trust asked about every sound source, again and again: the pin may come after the look
     */
    public SourceWatch(History history, SourceTrust trust, Ticker ticker) {
        this.history = history;
        this.trust = trust;
        this.ticker = ticker;
        this.last = new Look(NOT_LOOKED_YET, ticker.nanos(), true);
    }

    public String kind() {
        return history.kind();
    }

    /** What the last look found; a sound source that is the wrong one is refused. */
    public Verification current() {
        return judged(last.verification());
    }

    /** For who can wait: what a look found that is neither old nor doubted. A refusal is never taken from memory. */
    public Verification fresh() {
        Look look = last;
        Verification known = judged(look.verification());
        return known instanceof Verified && !due(look) ? known : look();
    }

    /**
     * What has proven that this ledger must accept nothing, its own record being complete or not: it is stale, or not the only one. Kept
     * while history can't be asked, until a look finds all sound.
     */
    public List<Finding> barriers() {
        return barriers;
    }

    /** Whether a look has found all sound, and the pinned source, since the process began. */
    public boolean verifiedOnce() {
        return verifiedOnce;
    }

    /** Something that history said or did not say calls for another look soon. */
    public synchronized void doubt() {
        doubts++;
        last = new Look(last.verification(), last.atNanos(), true);
    }

    /** Looks again where the last look is old or doubted; else does nothing. */
    public void pass() {
        if (due(last)) {
            look();
        }
    }

    private boolean due(Look look) {
        return look.doubted() || ticker.nanos() - look.atNanos() >= REPEAT_AFTER.toNanos();
    }

    private Verification judged(Verification verification) {
        return switch (verification) {
            case Verified(VerifiedSource source) ->
                trust.objection(source.identity())
                        .<Verification>map(finding -> new Refused(List.of(finding)))
                        .orElse(verification);
            case Refused refused -> refused;
        };
    }

    /**
     * Looks now, or takes the word of a look that began after this call: one at a time, so that a slow history is not asked by all at once, and so
     * that no older look speaks after a newer one. Says something only when what it finds has changed.
     */
    public Verification look() {
        long begunBefore = begun.get();
        oneLook.lock();
        try {
            if (begun.get() > begunBefore) {
                return current();
            }
            begun.incrementAndGet();
            return lookAlone();
        } finally {
            oneLook.unlock();
        }
    }

    private Verification lookAlone() {
        long atNanos = ticker.nanos();
        long doubtsBefore = doubts();
        Verification found = history.verify();
        Verification now = judged(found);
        List<String> before;
        synchronized (this) {
            before = told;
            told = codes(now);
            // Whoever doubted while this look was under way may know something that it came too early for.
            last = new Look(found, atNanos, doubts != doubtsBefore);
            remember(now);
        }
        if (!before.equals(codes(now))) {
            tell(now);
        }
        return now;
    }

    private synchronized long doubts() {
        return doubts;
    }

    private void remember(Verification now) {
        switch (now) {
            case Verified verified -> {
                barriers = List.of();
                verifiedOnce = true;
            }
            case Refused(List<Finding> findings) -> {
                List<Finding> closing =
                        findings.stream().filter(FindingCode::closes).toList();
                if (!closing.isEmpty()) {
                    barriers = closing;
                }
            }
        }
    }

    private void tell(Verification now) {
        switch (now) {
            case Verified(VerifiedSource source) -> {
                LOG.info("History ({}) verified: table {}", history.kind(), source.tableUuid());
                if (!source.warnings().isEmpty()) {
                    LOG.warn("History ({}) is usable, but: {}", history.kind(), described(source.warnings()));
                }
            }
            case Refused(List<Finding> findings) ->
                LOG.warn(
                        "History ({}) can't be trusted now: nothing is delivered, and captures that need it are refused. Findings: {}",
                        history.kind(),
                        described(findings));
        }
    }

    private static String described(List<Finding> findings) {
        return findings.stream()
                .map(finding -> finding.code() + ": " + finding.detail())
                .collect(Collectors.joining("; "));
    }

    /** Details may count seconds or attempts; only another kind of finding is a change. */
    private static List<String> codes(Verification verification) {
        return switch (verification) {
            case Verified(VerifiedSource source) ->
                source.warnings().stream()
                        .map(warning -> "warning " + warning.code())
                        .sorted()
                        .toList();
            case Refused(List<Finding> findings) ->
                findings.stream().map(Finding::code).sorted().toList();
        };
    }
}
