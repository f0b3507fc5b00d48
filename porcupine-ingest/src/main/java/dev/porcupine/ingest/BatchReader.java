package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the three shapes of body that SDKs send: an envelope with a batch, a bare array, a single event. The whole document must be
 * JSON; beyond that, one bad event costs only itself.
 */
final class BatchReader {

    /** How many rejections of one request are kept for the operator; all are counted. */
    static final int REJECTED_KEPT_MAX = 20;

    /** What an event costs beside its text: objects, identities, places in collections. */
    private static final int EVENT_OVERHEAD_BYTES = 512;

    private final JsonScanner json;
    private final byte[] text;
    private final CaptureLimits limits;
    private final BodyBudget.Charge charge;
    private final EventReader reader;
    private final EventFields item = new EventFields();
    private final TokenRule itemTokens = new TokenRule();
    private final List<EventDraft> drafts = new ArrayList<>();
    private final List<Batch.RejectedItem> rejected = new ArrayList<>();
    private final Map<RejectReason, Integer> rejectedByReason = new EnumMap<>(RejectReason.class);
    private int rejectedCount;
    private int filteredCount;

    private BatchReader(Slice document, boolean engage, CaptureLimits limits, BodyBudget.Charge charge) {
        this.json = new JsonScanner(document, limits.nestingMax());
        this.text = document.bytes();
        this.limits = limits;
        this.charge = charge;
        this.reader = new EventReader(text, engage);
    }

    /**
     * @param document valid UTF-8
     * @throws ProblemException when it is no JSON document of one of the three shapes, or has no event or too many
     */
    static Batch read(Slice document, boolean engage, CaptureLimits limits, BodyBudget.Charge charge) {
        return new BatchReader(document, engage, limits, charge).read();
    }

    private Batch read() {
        return switch (json.peek()) {
            case JsonScanner.ARRAY -> {
                items();
                json.finish();
                yield batch(itemTokens, TimestampText.UNREADABLE);
            }
            case JsonScanner.OBJECT -> object();
            default ->
                throw new ProblemException(Problem.BODY_UNREADABLE, "the body is neither a JSON object nor an array");
        };
    }

    private Batch object() {
        EventFields root = new EventFields();
        root.clear();
        int from = json.position();
        json.enter();
        boolean enveloped = false;
        boolean first = true;
        while (json.nextName(first)) {
            first = false;
            int field = EventFields.fieldNamed(json, 0, EventFields.IN_PROPERTIES);
            if (field == EventFields.BATCH && enveloped) {
                throw new ProblemException(Problem.BODY_UNREADABLE, "the envelope has more than one \"batch\"");
            }
            if (field == EventFields.BATCH && json.peek() == JsonScanner.ARRAY) {
                // A member before the batch may have been too deep for an event; an envelope's own depth harms nobody.
                json.takeTooDeep();
                items();
                enveloped = true;
            } else {
                root.member(json, field);
            }
        }
        int to = json.position();
        json.finish();
        return enveloped ? envelope(root) : single(root, from, to);
    }

    private Batch envelope(EventFields root) {
        if (root.repeated() || root.has(EventFields.BATCH)) {
            throw new ProblemException(Problem.BODY_UNREADABLE, "the envelope has a field twice");
        }
        TokenRule token = new TokenRule();
        token.see(text, root);
        return batch(token.isPresent() ? token : itemTokens, reader.timestamp(root, EventFields.SENT_AT));
    }

    private Batch single(EventFields root, int from, int to) {
        if (root.has(EventFields.BATCH)) {
            throw new ProblemException(Problem.BODY_UNREADABLE, "\"batch\" is not an array");
        }
        if (root.hasAny()) {
            itemTokens.see(text, root);
            take(root, from, to, json.takeTooDeep());
        }
        return batch(itemTokens, TimestampText.UNREADABLE);
    }

    private void items() {
        json.enter();
        boolean first = true;
        while (json.nextElement(first)) {
            first = false;
            if (json.peek() != JsonScanner.OBJECT) {
                json.value(0);
                json.takeTooDeep();
                reject(RejectReason.NOT_AN_OBJECT, json.from(), json.to());
                continue;
            }
            int from = json.position();
            item.read(json);
            itemTokens.see(text, item);
            take(item, from, json.position(), json.takeTooDeep());
        }
    }

    private void take(EventFields fields, int from, int to, boolean tooDeep) {
        if (to - from > limits.eventBytesMax()) {
            reject(RejectReason.TOO_LARGE, from, to);
            return;
        }
        EventDraft draft = tooDeep ? null : reader.draft(fields);
        if (draft == null) {
            reject(tooDeep ? RejectReason.TOO_DEEP : reader.reason(), from, to);
        } else if (reader.isFiltered(draft)) {
            filteredCount++;
            bound();
        } else {
            charge.take(EVENT_OVERHEAD_BYTES + (long) to - from);
            drafts.add(draft);
            bound();
        }
    }

    private void reject(RejectReason reason, int from, int to) {
        if (rejected.size() < REJECTED_KEPT_MAX) {
            int index = drafts.size() + rejectedCount + filteredCount;
            rejected.add(new Batch.RejectedItem(index, reason, from, to));
        }
        rejectedCount++;
        rejectedByReason.merge(reason, 1, Integer::sum);
        bound();
    }

    private void bound() {
        int events = drafts.size() + rejectedCount + filteredCount;
        if (events > limits.batchEventsMax()) {
            throw new ProblemException(
                    Problem.BODY_TOO_LARGE, "the request has more than " + limits.batchEventsMax() + " events");
        }
    }

    private Batch batch(TokenRule token, long sentMicros) {
        if (drafts.isEmpty() && rejectedCount == 0 && filteredCount == 0) {
            throw new ProblemException(Problem.BATCH_EMPTY, "the body holds no event");
        }
        return new Batch(token, text, drafts, rejected, rejectedByReason, filteredCount, sentMicros);
    }
}
