package dev.porcupine.query;

import dev.porcupine.history.EventQuery;
import dev.porcupine.history.History;
import dev.porcupine.ledger.PendingPage;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The pending mutations that belong into one page, in its order. An event of which history holds nothing yet is passed over: a listing shows
 * what was delivered. History is asked for that a page of events at a time, and only when such an event's turn comes.
 */
final class PendingEvents {

    private final History history;
    private final ProjectId project;
    private final PendingPage pending;
    private final Set<EventUuid> standing = new HashSet<>();
    private int asked;
    private int next;

    PendingEvents(History history, ProjectId project, PendingPage pending) {
        this.history = history;
        this.project = project;
        this.pending = pending;
    }

    /** The next one in order, shown or not; null when none is left that was read. */
    @Nullable Event peek() {
        return next < pending.events().size() ? pending.events().get(next) : null;
    }

    /** Goes past the next one, and says whether it is to be shown. */
    boolean take() {
        if (next == asked) {
            ask();
        }
        Event event = pending.events().get(next++);
        return standing.contains(event.identity().uuid());
    }

    /**
     * Whether further ones match that were not read: then the page must end behind the last one taken, for nobody knows what of history comes
     * before them.
     */
    boolean cutHere() {
        return pending.more() && next == pending.events().size();
    }

    /** Of these, history's own word is out of date. */
    Set<EventUuid> uuids() {
        return pending.uuids();
    }

    private void ask() {
        List<Event> events = pending.events();
        int to = Math.min(events.size(), asked + EventQuery.LIMIT_MAX);
        Set<EventUuid> uuids = new HashSet<>();
        events.subList(asked, to).forEach(event -> uuids.add(event.identity().uuid()));
        standing.addAll(history.standing(project, uuids));
        asked = to;
    }
}
