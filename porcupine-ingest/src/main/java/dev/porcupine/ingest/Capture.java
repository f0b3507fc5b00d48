package dev.porcupine.ingest;

import dev.porcupine.ingest.CaptureMetrics.Outcome;
import dev.porcupine.ledger.AcceptResult;
import dev.porcupine.ledger.Verdict;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.EventUuidMint;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One capture request from its bytes to its answer. Whether an event is new is for the ledger alone to say; here equal UUIDs within a
 * request collapse, the first one winning, and everything that was read is counted once (I9).
 */
final class Capture {

    private static final long MICROS_PER_MILLI = 1000;

    private final TokenLookup tokens;
    private final EventDoor door;
    private final CaptureLimits limits;
    private final InstantSource clock;
    private final EventUuidMint mint;
    private final CaptureRecord record;

    Capture(TokenLookup tokens, EventDoor door, CaptureLimits limits, InstantSource clock, CaptureRecord record) {
        this.tokens = tokens;
        this.door = door;
        this.limits = limits;
        this.clock = clock;
        this.mint = new EventUuidMint(clock);
        this.record = record;
    }

    /**
     * @throws ProblemException when the request can't be read, or names no project
     */
    CaptureAnswer answer(PublicRequest request, CaptureQuery query, boolean engage, BodyBudget.Charge charge) {
        Slice text = BodyDecoder.decode(
                request.takeBody(),
                query,
                request.contentType(),
                request.contentEncoding(),
                new LayerBudget(limits.decodedBytesMax(), charge));
        Batch batch = BatchReader.read(text, engage, limits, charge);
        Instant now = clock.instant();
        record.metrics().received(batch.size());
        int unsettled = batch.size();
        try {
            ProjectId project = project(batch);
            reject(project, batch, now);
            unsettled -= batch.rejectedCount() + batch.filteredCount();
            CaptureAnswer answer = accept(project, batch, query, now);
            if (answer instanceof CaptureAnswer.Stored) {
                unsettled = 0;
            }
            return answer;
        } finally {
            record.metrics().events(Outcome.REFUSED, unsettled);
        }
    }

    private ProjectId project(Batch batch) {
        String token = batch.token().required();
        return tokens.project(token)
                .orElseThrow(() -> new ProblemException(
                        Problem.TOKEN_INVALID, "no project has this token, or the token was revoked"));
    }

    private void reject(ProjectId project, Batch batch, Instant now) {
        record.metrics().events(Outcome.REJECTED, batch.rejectedCount());
        record.metrics().events(Outcome.FILTERED, batch.filteredCount());
        batch.rejectedByReason().forEach(record.metrics()::rejected);
        for (Batch.RejectedItem item : batch.rejected()) {
            record.rejections().add(project, Rejection.of(item, batch.text(), now));
        }
    }

    private CaptureAnswer accept(ProjectId project, Batch batch, CaptureQuery query, Instant now) {
        if (batch.drafts().isEmpty()) {
            return batch.filteredCount() > 0
                    ? new CaptureAnswer.Stored(0, 0, batch.rejectedCount())
                    : new CaptureAnswer.Refused(Problem.NO_VALID_EVENT, noValidEvent(batch));
        }
        List<Event> events = events(project, batch, query, now);
        int twice = batch.drafts().size() - events.size();
        return switch (door.accept(events)) {
            case AcceptResult.Refused refused -> new CaptureAnswer.Refused(refused.problem(), refused.detail());
            case AcceptResult.Committed committed ->
                stored(project, events, committed, twice, batch.rejectedCount(), now);
        };
    }

    private static String noValidEvent(Batch batch) {
        Batch.RejectedItem first = batch.rejected().getFirst();
        return batch.rejectedCount() + " rejected; event " + first.index() + ": "
                + first.reason().code();
    }

    private List<Event> events(ProjectId project, Batch batch, CaptureQuery query, Instant now) {
        long nowMillis = now.toEpochMilli();
        long nowMicros = nowMillis * MICROS_PER_MILLI;
        long sentMicros = batch.sentMicros() == TimestampText.UNREADABLE
                ? query.sentAtMicros().orElse(TimestampText.UNREADABLE)
                : batch.sentMicros();
        List<Event> events = new ArrayList<>(batch.drafts().size());
        Map<EventUuid, EventDraft> firsts = HashMap.newHashMap(batch.drafts().size());
        for (EventDraft draft : batch.drafts()) {
            EventUuid uuid = draft.uuid() == null ? mint.next() : draft.uuid();
            EventDraft first = draft.uuid() == null ? null : firsts.putIfAbsent(uuid, draft);
            if (first != null) {
                if (!first.name().equals(draft.name()) || !first.distinctId().equals(draft.distinctId())) {
                    conflict(project, uuid, draft.name(), draft.distinctId(), now);
                }
                continue;
            }
            EventTime time = draft.time().resolve(sentMicros, nowMicros);
            events.add(Event.original(
                    new EventIdentity(project, uuid),
                    draft.name(),
                    draft.distinctId(),
                    time.micros(),
                    nowMillis,
                    draft.properties().text(batch.text(), draft.time(), !time.asWritten())));
        }
        return events;
    }

    private CaptureAnswer stored(
            ProjectId project,
            List<Event> events,
            AcceptResult.Committed committed,
            int twice,
            int rejected,
            Instant now) {
        int accepted = 0;
        for (int i = 0; i < events.size(); i++) {
            Verdict verdict = committed.verdicts().get(i);
            if (verdict.kind() == Verdict.Kind.ACCEPTED) {
                accepted++;
            } else if (verdict.conflict()) {
                Event event = events.get(i);
                conflict(project, event.identity().uuid(), event.name(), event.distinctId(), now);
            }
        }
        int duplicates = twice + events.size() - accepted;
        record.metrics().events(Outcome.ACCEPTED, accepted);
        record.metrics().events(Outcome.DUPLICATE, duplicates);
        return new CaptureAnswer.Stored(accepted, duplicates, rejected);
    }

    private void conflict(ProjectId project, EventUuid uuid, String name, String distinctId, Instant now) {
        record.metrics().conflict();
        record.conflicts()
                .add(project, new Conflict(uuid.toString(), Rejection.cut(name), Rejection.cut(distinctId), now));
    }
}
