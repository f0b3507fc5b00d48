package dev.porcupine.ingest;

import dev.porcupine.history.History;
import dev.porcupine.history.NewestResult;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.history.VerifiedSource;
import dev.porcupine.ingest.MutationAnswer.Changed;
import dev.porcupine.ingest.MutationAnswer.Deleted;
import dev.porcupine.ingest.MutationAnswer.Refused;
import dev.porcupine.ledger.AcceptResult;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LocalTrace;
import dev.porcupine.ledger.MutateResult;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.Ticker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Makes an event's next revision of its newest one, wherever that is: in the ledger, or in history alone (P54).
 *
 * <p>Nothing is held between reading the newest revision and writing the next: the final write looks whether the head is still the one that was
 * read, and starts again where it is not. An event found in history needs no lease, for known never becomes unknown.
 * {@code docs/internals/mutation-protocol.md} has the argument and the test for each race.
 */
final class MutationDoor {

    /** A mutation that others overtake three times in a row meets a crowd; its client may as well come back. */
    static final int ATTEMPTS_MAX = 3;

    /** From the call to the answer; a client gets its answer within seven seconds, the reading of its body not counted. */
    static final Duration TOTAL = Duration.ofMillis(6_500);

    /** No attempt begins later: with what the ledger and history may take it would end after the total. */
    private static final Duration LAST_START = Duration.ofMillis(1_500);

    /** Kept for the final write when history takes all it may. */
    private static final Duration WRITE_RESERVE = Duration.ofSeconds(1);

    /** Stands for the name and distinct_id of what was deleted: neither may be empty, and nothing of the event is to remain. */
    static final String TOMBSTONE_TEXT = "$deleted";

    private static final long MICROS_PER_MILLI = 1_000;

    private final Ledger ledger;
    private final History history;
    private final SourceWatch watch;
    private final Admission admission;
    private final Ticker ticker;
    private final MutationSteps steps;

    MutationDoor(Ledger ledger, History history, SourceWatch watch, Ticker ticker, MutationSteps steps) {
        this.ledger = ledger;
        this.history = history;
        this.watch = watch;
        this.admission = new Admission(ledger, watch);
        this.ticker = ticker;
        this.steps = steps;
    }

    MutationAnswer mutate(EventIdentity identity, Change change, IfMatch condition) {
        AcceptResult.Refused barrier = admission.barrier();
        if (barrier != null) {
            return new Refused(barrier.problem(), barrier.detail());
        }
        long start = ticker.nanos();
        int attempt = 0;
        do {
            attempt++;
            MutationAnswer answer;
            try {
                answer = attempt(identity, change, condition, start);
            } catch (ProblemException e) {
                return new Refused(e.problem(), e.detail());
            }
            if (answer != null) {
                return answer;
            }
        } while (attempt < ATTEMPTS_MAX && ticker.nanos() - start < LAST_START.toNanos());
        return new Refused(
                Problem.MUTATION_CONFLICT,
                "other mutations of the event came first " + attempt + " times; nothing of this one is stored");
    }

    /** Null when another mutation came first. */
    private @Nullable MutationAnswer attempt(
            EventIdentity identity, Change change, IfMatch condition, long startNanos) {
        LocalTrace trace = ledger.mutations().trace(identity);
        steps.at(MutationStep.TRACED);
        return switch (trace) {
            case LocalTrace.Deleted(long revision) -> deleted(change, revision);
            case LocalTrace.Absent _ -> notFound(identity);
            case LocalTrace.Held held -> decide(trace, held.newest(), change, condition, startNanos);
            case LocalTrace.Delivered delivered
            when change instanceof Change.Delete ->
                // A tombstone needs nothing of the event but what the ledger knows: deleting works without history.
                write(trace, condition, delivered.revision(), tombstone(identity, delivered), startNanos);
            case LocalTrace.Delivered delivered ->
                asked(trace, identity, delivered.revision(), change, condition, startNanos);
            case LocalTrace.Unknown _ -> asked(trace, identity, 0, change, condition, startNanos);
        };
    }

    /**
     * @param known the revision that history must have acknowledged; 0 when it need not know the event
     */
    private @Nullable MutationAnswer asked(
            LocalTrace trace, EventIdentity identity, long known, Change change, IfMatch condition, long startNanos) {
        VerifiedSource source;
        switch (admission.source()) {
            case Admission.Verdict.Closed(AcceptResult.Refused refusal) -> {
                return new Refused(refusal.problem(), refusal.detail());
            }
            case Admission.Verdict.Open open -> source = open.source();
        }
        Duration left = left(startNanos).minus(WRITE_RESERVE);
        if (!left.isPositive()) {
            return new Refused(Problem.LOOKUP_DEADLINE, "no time was left to look the event up in history");
        }
        NewestResult result = history.newest(source, identity, left);
        steps.at(MutationStep.LOOKED_UP);
        return switch (result) {
            case NewestResult.Failed failed -> {
                watch.doubt();
                yield new Refused(ProvingDoor.problem(failed.failure()), failed.detail());
            }
            case NewestResult.Absent _ -> known == 0 ? notFound(identity) : behind(known, 0);
            case NewestResult.Found(Event newest) -> {
                if (newest.revision() < known) {
                    yield behind(known, newest.revision());
                }
                yield newest.deleted()
                        ? deleted(change, newest.revision())
                        : decide(trace, newest, change, condition, startNanos);
            }
        };
    }

    private @Nullable MutationAnswer decide(
            LocalTrace trace, Event base, Change change, IfMatch condition, long startNanos) {
        if (!condition.holds(base.revision())) {
            return mismatch(base.revision());
        }
        Event next = switch (change) {
            case Change.Patch(EventPatch patch, PatchCost cost) -> cost.apply(patch, base);
            case Change.Delete _ -> tombstone(base.identity(), base.revision() + 1, base.receivedAtMillis());
        };
        return write(trace, condition, base.revision(), next, startNanos);
    }

    private @Nullable MutationAnswer write(
            LocalTrace trace, IfMatch condition, long base, Event next, long startNanos) {
        if (!condition.holds(base)) {
            return mismatch(base);
        }
        steps.at(MutationStep.MADE);
        Duration left = left(startNanos);
        if (!left.isPositive()) {
            return new Refused(Problem.OVERLOADED, "no time was left to store the mutation; nothing of it is stored");
        }
        MutateResult result = ledger.mutations().mutate(next, trace, left);
        steps.at(MutationStep.WRITTEN);
        return switch (result) {
            case MutateResult.Written _ -> next.deleted() ? new Deleted(next.revision(), false) : new Changed(next);
            case MutateResult.Moved _ -> null;
            case MutateResult.Refused(Problem problem, String detail) -> new Refused(problem, detail);
        };
    }

    private Duration left(long startNanos) {
        return TOTAL.minusNanos(ticker.nanos() - startNanos);
    }

    /** Whatever was asked for: an event is deleted once and for all, and deleting it again changes nothing. */
    private static MutationAnswer deleted(Change change, long revision) {
        return switch (change) {
            case Change.Delete _ -> new Deleted(revision, true);
            case Change.Patch _ ->
                new Refused(Problem.EVENT_DELETED, "the event was deleted by its revision " + revision, revision);
        };
    }

    private static Refused notFound(EventIdentity identity) {
        return new Refused(
                Problem.EVENT_NOT_FOUND, "project " + identity.project() + " has never accepted an event of that uuid");
    }

    private static Refused mismatch(long revision) {
        return new Refused(
                Problem.REVISION_MISMATCH,
                "the event is at revision " + revision + ", which If-Match does not name",
                revision);
    }

    /** Unknown is never a default: a revision made of an older one would undo what a client was told. */
    private Refused behind(long known, long found) {
        watch.doubt();
        return new Refused(
                Problem.LOOKUP_INCOMPLETE,
                "history has acknowledged revision " + known + " of the event, and now "
                        + (found == 0 ? "does not hold the event" : "holds only revision " + found));
    }

    private static Event tombstone(EventIdentity identity, LocalTrace.Delivered delivered) {
        return tombstone(identity, delivered.revision() + 1, delivered.receivedAtMillis());
    }

    /** Nothing of the event but its identity and its partition's time. */
    private static Event tombstone(EventIdentity identity, long revision, long receivedAtMillis) {
        return new Event(
                identity,
                revision,
                true,
                TOMBSTONE_TEXT,
                TOMBSTONE_TEXT,
                receivedAtMillis * MICROS_PER_MILLI,
                receivedAtMillis,
                "{}".getBytes(StandardCharsets.UTF_8));
    }
}
