package dev.porcupine.ledger;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProjectId;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which events are new, and keeps those: the one door into Porcupine (P3).
 *
 * <p>The rule: an event is inserted into the queue in the transaction that found its identity in none of queue, quarantine, receipts
 * and heads, and its proof of absence still good, by the only thread that writes any of them (see {@link LedgerWriter}). What was read before that transaction may save
 * work; it never decides.
 */
public final class Acceptance {

    private static final Verdict ACCEPTED = new Verdict(Verdict.Kind.ACCEPTED, false);

    private final LedgerWriter writer;
    private final LedgerSettings settings;
    private final ProjectDirectory projects;

    Acceptance(LedgerWriter writer, LedgerSettings settings, ProjectDirectory projects) {
        this.writer = writer;
        this.settings = settings;
        this.projects = projects;
    }

    /**
     * Stores the events that no local record knows, all in one transaction, and returns when they are on disk. A batch of which
     * nothing is new is answered whatever the queue's budgets say; else the new part must fit them as a whole.
     *
     * @param events originals of one project with distinct UUIDs, at least one
     * @param proof why those that no local record knows are new; checked inside the transaction
     * @param waitMax how long to wait for the answer; the ledger has a bound of its own, and the shorter one holds
     * @return {@link AcceptResult.Committed} only after the fsync; {@code TOKEN_INVALID} where the project is being removed; after {@link AcceptResult.Refused} nothing of the batch is stored,
     *     except where the wait ended before the answer ({@code LEDGER_UNAVAILABLE}): then it may be, and a resend finds duplicates
     */
    public AcceptResult accept(List<Event> events, AbsenceProof proof, Duration waitMax) {
        requireOriginalsOfOneProject(events);
        List<EncodedEvent> batch = new ArrayList<>(events.size());
        long bytes = 0;
        for (Event event : events) {
            EncodedEvent encoded = EncodedEvent.of(event);
            batch.add(encoded);
            bytes += encoded.bytes();
        }
        return switch (writer.capture(batch.size(), bytes, waitMax, transaction -> decide(transaction, batch, proof))) {
            case WriteOutcome.Committed<AcceptResult> committed -> committed.value();
            case WriteOutcome.Refused<AcceptResult> refused ->
                new AcceptResult.Refused(refused.problem(), refused.detail());
        };
    }

    private static @Nullable AcceptResult doubt(AbsenceProof proof, LedgerState state, List<EncodedEvent> fresh) {
        return switch (proof) {
            case AbsenceProof.CompleteRecord complete ->
                state.complete() ? null : new AcceptResult.ProofVoid(AcceptResult.ProofVoid.Reason.RECORD_INCOMPLETE);
            case AbsenceProof.HistoryAsked asked -> {
                // The writer is one thread: while this transaction runs no eviction does, so a lease that is alive here
                // held until now.
                if (!asked.lease().alive()) {
                    yield new AcceptResult.ProofVoid(AcceptResult.ProofVoid.Reason.LEASE_EXPIRED);
                }
                for (EncodedEvent event : fresh) {
                    EventIdentity identity = event.event().identity();
                    if (!identity.project().equals(asked.lease().project())
                            || !asked.absent().contains(identity.uuid())) {
                        yield new AcceptResult.ProofVoid(AcceptResult.ProofVoid.Reason.NOT_COVERED);
                    }
                }
                yield null;
            }
        };
    }

    private AcceptResult decide(WriteTransaction transaction, List<EncodedEvent> batch, AbsenceProof proof)
            throws SQLException {
        if (!projects.takesWrites(batch.getFirst().event().identity().project())) {
            // It was there when its token was looked up.
            return new AcceptResult.Refused(
                    Problem.TOKEN_INVALID, "there is no such project any more; nothing of the batch is stored");
        }
        List<Verdict> verdicts = new ArrayList<>(batch.size());
        List<EncodedEvent> fresh = new ArrayList<>(batch.size());
        long freshBytes = 0;
        for (EncodedEvent event : batch) {
            Verdict known = AcceptRows.lookUp(transaction, event);
            if (known == null) {
                fresh.add(event);
                freshBytes += event.bytes();
                verdicts.add(ACCEPTED);
            } else {
                verdicts.add(known);
            }
        }
        LedgerState state = transaction.state();
        AcceptResult doubt = fresh.isEmpty() ? null : doubt(proof, state, fresh);
        if (doubt != null) {
            return doubt;
        }
        if (!fresh.isEmpty() && !QueueBudget.fits(settings, state, fresh.size(), freshBytes)) {
            return new AcceptResult.Refused(
                    Problem.QUEUE_FULL, QueueBudget.explain(settings, state, fresh.size(), freshBytes));
        }
        if (!fresh.isEmpty() && QueueBudget.quarantineFull(settings, state)) {
            return new AcceptResult.Refused(Problem.QUEUE_FULL, QueueBudget.explainQuarantine(settings, state));
        }
        for (EncodedEvent event : fresh) {
            AcceptRows.insert(transaction, event);
        }
        transaction.state(state.withQueue(fresh.size(), freshBytes));
        return new AcceptResult.Committed(List.copyOf(verdicts));
    }

    private static void requireOriginalsOfOneProject(List<Event> events) {
        if (events.isEmpty()) {
            throw new IllegalArgumentException("a batch holds at least one event");
        }
        ProjectId project = events.getFirst().identity().project();
        Set<EventUuid> uuids = HashSet.newHashSet(events.size());
        for (Event event : events) {
            if (!event.identity().project().equals(project)) {
                throw new IllegalArgumentException("a batch belongs to one project, got " + project + " and "
                        + event.identity().project());
            }
            if (event.revision() != Event.ORIGINAL_REVISION || event.deleted()) {
                throw new IllegalArgumentException("a capture holds originals only, got " + event);
            }
            if (!uuids.add(event.identity().uuid())) {
                throw new IllegalArgumentException("the batch holds " + event.identity() + " twice");
            }
        }
    }
}
