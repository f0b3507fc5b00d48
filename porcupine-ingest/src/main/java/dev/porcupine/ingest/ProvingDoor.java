package dev.porcupine.ingest;

import dev.porcupine.history.History;
import dev.porcupine.history.ProbeFailure;
import dev.porcupine.history.ProbePurpose;
import dev.porcupine.history.ProbeResult;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.history.VerifiedSource;
import dev.porcupine.ledger.AbsenceProof;
import dev.porcupine.ledger.AcceptResult;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LookupLease;
import dev.porcupine.ledger.Verdict;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Proves that unknown events are new before the ledger writes them, where the local record alone no longer can (P14 to P20).
 *
 * <p>The order is what makes it exact: preflight, admission, lease, <em>then</em> read again, <em>then</em> probe, then the final write, which
 * checks the proof once more inside its transaction. {@code docs/internals/acceptance-protocol.md} says why, and which test breaks each
 * step. What a read found known is answered from that read: known stays known.
 */
final class ProvingDoor implements EventDoor {

    /** A batch whose proof is void twice in a row meets a ledger in motion; the client may as well come back. */
    static final int PROOFS_MAX = 3;

    /** From the call to the answer. A client gets its answer within seven seconds, the reading of its body not counted. */
    static final Duration TOTAL = Duration.ofMillis(6_500);

    /** Kept for the final write when history takes all it may. */
    private static final Duration WRITE_RESERVE = Duration.ofSeconds(1);

    private static final Verdict KNOWN_IN_HISTORY = new Verdict(Verdict.Kind.KNOWN_IN_HISTORY, false);
    private static final AbsenceProof COMPLETE_RECORD = new AbsenceProof.CompleteRecord();

    private final Ledger ledger;
    private final History history;
    private final SourceWatch watch;
    private final Admission admission;
    private final Ticker ticker;
    private final ProofSteps steps;

    ProvingDoor(Ledger ledger, History history, SourceWatch watch, Ticker ticker, ProofSteps steps) {
        this.ledger = ledger;
        this.history = history;
        this.watch = watch;
        this.admission = new Admission(ledger, watch);
        this.ticker = ticker;
        this.steps = steps;
    }

    @Override
    public AcceptResult accept(List<Event> events) {
        long start = ticker.nanos();
        Map<EventUuid, Verdict> known = new HashMap<>();
        AcceptResult.ProofVoid doubt = null;
        for (int proof = 1; proof <= PROOFS_MAX; proof++) {
            Duration left = TOTAL.minusNanos(ticker.nanos() - start);
            if (left.compareTo(WRITE_RESERVE) <= 0) {
                break;
            }
            AcceptResult result;
            try {
                result = ledger.localRecord().complete() && !admission.overLimit() && admission.barrier() == null
                        ? acceptByRecord(events, left)
                        : prove(events, known, left);
            } catch (ProblemException e) {
                return new AcceptResult.Refused(e.problem(), e.detail());
            }
            if (!(result instanceof AcceptResult.ProofVoid fresh)) {
                return result;
            }
            doubt = fresh;
        }
        return new AcceptResult.Refused(
                Problem.PROOF_EXPIRED,
                "the proof that the events are new did not hold until they were written"
                        + (doubt == null ? "" : ": " + doubt.reason()));
    }

    private AcceptResult acceptByRecord(List<Event> events, Duration left) {
        steps.at(ProofStep.COMPLETE);
        return ledger.acceptance().accept(events, COMPLETE_RECORD, left);
    }

    /**
     * @param known what earlier reads of this batch found; grows
     */
    private AcceptResult prove(List<Event> events, Map<EventUuid, Verdict> known, Duration left) {
        long start = ticker.nanos();
        List<Event> unknown = look(events, known);
        steps.at(ProofStep.PREFLIGHT);
        if (unknown.isEmpty()) {
            return committed(events, known);
        }
        if (ledger.localRecord().complete()) {
            AcceptResult.Refused barrier = admission.barrier();
            if (barrier == null && !admission.overLimit()) {
                return new AcceptResult.ProofVoid(AcceptResult.ProofVoid.Reason.RECORD_INCOMPLETE);
            }
            return barrier == null ? admission.overLimitRefusal() : barrier;
        }
        return switch (admission.history()) {
            case Admission.Verdict.Closed(AcceptResult.Refused refusal) -> refusal;
            case Admission.Verdict.Open(VerifiedSource source) -> {
                Optional<LookupLease> lease =
                        ledger.localRecord().lease(unknown.getFirst().identity().project(), uuids(unknown));
                if (lease.isEmpty()) {
                    yield new AcceptResult.Refused(Problem.LOOKUP_OVERLOADED, "too many lookups are under way");
                }
                try (LookupLease held = lease.get()) {
                    yield proveUnder(held, source, events, known, left.minusNanos(ticker.nanos() - start));
                }
            }
        };
    }

    private AcceptResult proveUnder(
            LookupLease lease,
            VerifiedSource source,
            List<Event> events,
            Map<EventUuid, Verdict> known,
            Duration left) {
        long start = ticker.nanos();
        steps.at(ProofStep.LEASED);
        List<Event> unknown = look(events, known);
        steps.at(ProofStep.REREAD);
        if (!unknown.isEmpty()) {
            Duration lookup = left.minus(WRITE_RESERVE).minusNanos(ticker.nanos() - start);
            switch (history.probe(source, identities(unknown), lookup, ProbePurpose.CAPTURE)) {
                case ProbeResult.Failed(ProbeFailure failure, String detail) -> {
                    watch.doubt();
                    return new AcceptResult.Refused(problem(failure), detail);
                }
                case ProbeResult.Complete(Set<EventIdentity> found) ->
                    found.forEach(identity -> known.put(identity.uuid(), KNOWN_IN_HISTORY));
            }
        }
        steps.at(ProofStep.PROBED);
        List<Event> absent = without(unknown, known);
        if (absent.isEmpty()) {
            return committed(events, known);
        }
        Duration write = left.minusNanos(ticker.nanos() - start);
        if (!write.isPositive()) {
            return new AcceptResult.Refused(Problem.PROOF_EXPIRED, "no time was left to write what history proved new");
        }
        AcceptResult result =
                ledger.acceptance().accept(absent, new AbsenceProof.HistoryAsked(lease, uuids(absent)), write);
        steps.at(ProofStep.WRITTEN);
        if (!(result instanceof AcceptResult.Committed written)) {
            return result;
        }
        for (int i = 0; i < absent.size(); i++) {
            known.put(absent.get(i).identity().uuid(), written.verdicts().get(i));
        }
        return committed(events, known);
    }

    /** The events that nobody knew until now; what the local record knows is added to {@code known}. */
    private List<Event> look(List<Event> events, Map<EventUuid, Verdict> known) {
        List<Event> unknown = without(events, known);
        if (!unknown.isEmpty()) {
            known.putAll(ledger.localRecord().look(unknown).known());
        }
        return without(unknown, known);
    }

    private static List<Event> without(List<Event> events, Map<EventUuid, Verdict> known) {
        return events.stream()
                .filter(event -> !known.containsKey(event.identity().uuid()))
                .toList();
    }

    private static AcceptResult committed(List<Event> events, Map<EventUuid, Verdict> verdicts) {
        List<Verdict> inOrder = new ArrayList<>(events.size());
        for (Event event : events) {
            Verdict verdict = verdicts.get(event.identity().uuid());
            if (verdict == null) {
                throw new IllegalStateException("an event of the batch has no verdict: " + event);
            }
            inOrder.add(verdict);
        }
        return new AcceptResult.Committed(inOrder);
    }

    private static Set<EventUuid> uuids(List<Event> events) {
        Set<EventUuid> uuids = HashSet.newHashSet(events.size());
        events.forEach(event -> uuids.add(event.identity().uuid()));
        return uuids;
    }

    private static Set<EventIdentity> identities(List<Event> events) {
        Set<EventIdentity> identities = HashSet.newHashSet(events.size());
        events.forEach(event -> identities.add(event.identity()));
        return identities;
    }

    static Problem problem(ProbeFailure failure) {
        return switch (failure) {
            case OVERLOADED -> Problem.LOOKUP_OVERLOADED;
            case DEADLINE -> Problem.LOOKUP_DEADLINE;
            case LIMIT -> Problem.LOOKUP_LIMIT;
            case OUTAGE -> Problem.HISTORY_UNAVAILABLE;
            case INCOMPLETE -> Problem.LOOKUP_INCOMPLETE;
            case SOURCE_CHANGED -> Problem.SOURCE_CHANGED;
        };
    }
}
