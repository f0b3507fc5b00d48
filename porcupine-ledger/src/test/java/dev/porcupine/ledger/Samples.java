package dev.porcupine.ledger;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Events, settings and ledgers that tests begin with. */
final class Samples {

    static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-11-30T10:00:00Z"));

    private Samples() {}

    /** Spreads as random UUIDs do; the same number is always the same identity. */
    static EventUuid uuid(long number) {
        long mixed = (number + 1) * 0x9E37_79B9_7F4A_7C15L;
        mixed ^= mixed >>> 29;
        return new EventUuid(mixed, number);
    }

    static Event event(ProjectId project, long number) {
        return event(project, number, "signup", "user-" + number);
    }

    static Event event(ProjectId project, long number, String name, String distinctId) {
        return Event.original(
                new EventIdentity(project, uuid(number)),
                name,
                distinctId,
                1_796_000_000_000_000L + number,
                1_796_000_000_000L + number,
                ("{\"n\":" + number + ",\"price\":1.50}").getBytes(StandardCharsets.UTF_8));
    }

    /** Events {@code from} (inclusive) to {@code to} (exclusive). */
    static List<Event> events(ProjectId project, long from, long to) {
        return LongStream.range(from, to).mapToObj(n -> event(project, n)).toList();
    }

    static LedgerSettings roomy(Path dataDir) {
        return new LedgerSettings(dataDir, 1_000_000, 1L << 30);
    }

    static LedgerTuning tuning(WriteSteps steps) {
        return new LedgerTuning(limits(), steps, Duration.ofSeconds(5), Duration.ofSeconds(5));
    }

    /** As in production, but a lost connection is opened again at once. */
    static WriterLimits limits() {
        WriterLimits usual = WriterLimits.DEFAULT;
        return new WriterLimits(
                usual.waitingTasksMax(),
                usual.waitingBytesMax(),
                usual.groupTasksMax(),
                usual.groupRowsMax(),
                Duration.ofSeconds(30),
                Duration.ofSeconds(30),
                usual.walBytesMax(),
                usual.checkpointWait(),
                Duration.ZERO);
    }

    static Ledger open(Path dataDir) {
        return open(dataDir, WriteSteps.NONE);
    }

    static Ledger open(Path dataDir, WriteSteps steps) {
        return Ledger.open(roomy(dataDir), CLOCK, tuning(steps));
    }

    static List<Verdict.Kind> kinds(AcceptResult result) {
        return switch (result) {
            case AcceptResult.Committed committed ->
                committed.verdicts().stream().map(Verdict::kind).toList();
            case AcceptResult.Refused refused ->
                throw new AssertionError("refused: " + refused.problem() + ", " + refused.detail());
        };
    }

    static List<Verdict.Kind> times(int count, Verdict.Kind kind) {
        return IntStream.range(0, count).mapToObj(i -> kind).toList();
    }

    /** The whole queue, oldest first. */
    static List<QueuedEvent> queued(Ledger ledger) {
        return ledger.queue().oldest(1_000_000, Long.MAX_VALUE);
    }
}
