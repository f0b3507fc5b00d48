package dev.porcupine.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.EventQuery;
import dev.porcupine.history.EventQuery.Position;
import dev.porcupine.history.History;
import dev.porcupine.history.InsertResult;
import dev.porcupine.history.Verification;
import dev.porcupine.history.VerifiedSource;
import dev.porcupine.ledger.AbsenceProof;
import dev.porcupine.ledger.AcceptResult;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.MutateResult;
import dev.porcupine.ledger.QueuedEvent;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.schema.Ticker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A ledger and a history with mutations on their way, what a plain model says of them, and what the reads say. */
final class MutatedReads {

    private static final Duration WAIT = Duration.ofSeconds(30);

    static final Comparator<Event> NEWEST_FIRST = StoredEvents.NEWEST_FIRST;

    final Ledger ledger;
    final History history;
    final ProjectId project;
    final VerifiedSource source;
    private final NewestEvents newest;

    /** Newest revisions of all accepted events. */
    private final Map<EventIdentity, Event> model = new LinkedHashMap<>();

    private final Set<EventIdentity> standing = new HashSet<>();

    MutatedReads(Ledger ledger, History history) {
        this.ledger = ledger;
        this.history = history;
        this.project = ledger.projects().create("reads").project().id();
        this.source = ((Verification.Verified) history.verify()).source();
        this.newest = new NewestEvents(ledger.mutations(), history);
    }

    Event accept(long number, long timestampMicros) {
        Event event = Event.original(
                new EventIdentity(project, StoredEvents.uuid(number)),
                "e" + number % 2,
                "u",
                timestampMicros,
                1_796_000_000_000L,
                "{}".getBytes(StandardCharsets.UTF_8));
        if (model.putIfAbsent(event.identity(), event) == null) {
            assertThat(ledger.acceptance().accept(List.of(event), new AbsenceProof.CompleteRecord(), WAIT))
                    .isInstanceOf(AcceptResult.Committed.class);
        }
        return event;
    }

    /** Moves an event in time, or deletes it; does nothing to one that is deleted or unknown. */
    void mutate(EventIdentity identity, long timestampMicros, String name, boolean delete) {
        Event base = model.get(identity);
        if (base == null || base.deleted()) {
            return;
        }
        Event next = new Event(
                identity,
                base.revision() + 1,
                delete,
                name,
                base.distinctId(),
                timestampMicros,
                base.receivedAtMillis(),
                ("{\"revision\":" + (base.revision() + 1) + "}").getBytes(StandardCharsets.UTF_8));
        assertThat(ledger.mutations().mutate(next, ledger.mutations().trace(identity), WAIT))
                .isEqualTo(new MutateResult.Written());
        model.put(identity, next);
    }

    void insert(List<QueuedEvent> rows) {
        if (rows.isEmpty()) {
            return;
        }
        assertThat(history.insert(source, rows.stream().map(QueuedEvent::event).toList()))
                .isEqualTo(new InsertResult.Acknowledged());
        rows.forEach(row -> standing.add(row.event().identity()));
    }

    void deliver(int rowsMax) {
        List<QueuedEvent> rows = queued(rowsMax);
        insert(rows);
        ledger.queue().settle(rows, source.identity());
    }

    List<QueuedEvent> queued(int rowsMax) {
        return ledger.queue().oldest(rowsMax, Long.MAX_VALUE);
    }

    /** Every read says what the model says. */
    void check(int limit) {
        List<Event> live = model.values().stream()
                .filter(event -> standing.contains(event.identity()) && !event.deleted())
                .sorted(NEWEST_FIRST)
                .toList();
        assertThat(history.count(project, ledger.pendingRevisions().deleted(project)))
                .as("count")
                .isEqualTo(live.size());
        assertThat(walk(limit, null)).as("pages of %d", limit).isEqualTo(live);
        assertThat(walk(limit, "e1"))
                .isEqualTo(
                        live.stream().filter(event -> event.name().equals("e1")).toList());
        model.forEach((identity, event) -> assertThat(read(identity)).isEqualTo(event.deleted() ? null : event));
    }

    @Nullable Event read(EventIdentity identity) {
        try {
            return newest.read(identity);
        } catch (ProblemException e) {
            assertThat(e.problem()).isEqualTo(Problem.EVENT_DELETED);
            return null;
        }
    }

    List<Event> walk(int limit, @Nullable String name) {
        List<Event> met = new ArrayList<>();
        Position after = null;
        for (int pages = 0; pages < 1_000; pages++) {
            EventPage page = pages(1 << 20).read(new EventQuery(project, name, null, null, null, after, limit));
            assertThat(page.events()).hasSizeLessThanOrEqualTo(limit);
            met.addAll(page.events());
            if (page.next() == null) {
                return met;
            }
            after = page.next();
        }
        throw new AssertionError("no end after 1000 pages");
    }

    EventPages pages(long bytesMax) {
        return new EventPages(history, ledger.pendingRevisions(), bytesMax, Ticker.system());
    }
}
