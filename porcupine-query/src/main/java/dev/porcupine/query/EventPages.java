package dev.porcupine.query;

import dev.porcupine.history.EventQuery;
import dev.porcupine.history.EventQuery.Position;
import dev.porcupine.history.History;
import dev.porcupine.history.HistoryReadException;
import dev.porcupine.ledger.PendingFilter;
import dev.porcupine.ledger.PendingRevisions;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads one page within its byte bound, with the ledger's pending mutations laid over history. History caps the bytes of one answer; a
 * thousand large events go over that cap, so what is asked of it is halved until it fits, and the page is put together from the parts.
 *
 * <p>The ledger is read first, once: a mutation that is delivered in between is left out of history's answers and shown as the ledger had
 * it, one that is accepted in between shows as history has its event. Either way the event shows once, as it was at some moment of the read.
 */
final class EventPages {

    /** No more halving after this: a limit that is not about bytes would be met again and again. */
    private static final long HALVING_NANOS_MAX = Duration.ofSeconds(5).toNanos();

    private static final Comparator<Event> LISTED = Comparator.comparingLong(Event::timestampMicros)
            .thenComparing(event -> event.identity().uuid())
            .reversed();

    private final History history;
    private final PendingRevisions ledger;
    private final long bytesMax;
    private final Ticker ticker;

    EventPages(History history, PendingRevisions ledger, long bytesMax, Ticker ticker) {
        this.history = history;
        this.ledger = ledger;
        this.bytesMax = bytesMax;
        this.ticker = ticker;
    }

    /** @throws HistoryReadException when history can't answer completely */
    EventPage read(EventQuery query) {
        Assembly page =
                new Assembly(query.limit(), new PendingEvents(history, query.project(), ledger.page(filter(query))));
        long started = ticker.nanos();
        EventQuery rest = query;
        int rowsMax = query.limit();
        while (true) {
            int wanted = Math.min(rowsMax, page.room());
            List<Event> part;
            try {
                part = history.page(with(rest, rest.after(), wanted), page.pending.uuids());
            } catch (HistoryReadException e) {
                boolean mayHalve = e.kind() == HistoryReadException.Kind.LIMIT
                        && wanted > 1
                        && ticker.nanos() - started < HALVING_NANOS_MAX;
                if (!mayHalve) {
                    throw e;
                }
                rowsMax = wanted / 2;
                continue;
            }
            for (Event event : part) {
                if (page.pendingBefore(event) || page.add(event)) {
                    return page.ended();
                }
            }
            if (part.size() < wanted) {
                page.pendingBefore(null);
                return page.ended();
            }
            rest = with(rest, position(part.getLast()), wanted);
        }
    }

    /** A page on its way. Each method says whether the page ends there. */
    private final class Assembly {

        private final int limit;
        private final PendingEvents pending;
        private final List<Event> events = new ArrayList<>();
        private final Set<EventUuid> shown = new HashSet<>();
        private long bytes;
        private @Nullable Position next;

        Assembly(int limit, PendingEvents pending) {
            this.limit = limit;
            this.pending = pending;
        }

        int room() {
            return limit - events.size();
        }

        /** Takes the pending ones that come before this event, or all that are left. */
        boolean pendingBefore(@Nullable Event event) {
            Event candidate = pending.peek();
            while (candidate != null && (event == null || LISTED.compare(candidate, event) < 0)) {
                if (pending.take() && add(candidate)) {
                    return true;
                }
                if (pending.cutHere()) {
                    next = position(candidate);
                    return true;
                }
                candidate = pending.peek();
            }
            return false;
        }

        /** Between two parts of one page a mutation may have moved an event on to the second. */
        boolean add(Event event) {
            if (!shown.add(event.identity().uuid())) {
                return false;
            }
            events.add(event);
            bytes += event.properties().length;
            if (bytes < bytesMax && events.size() < limit) {
                return false;
            }
            next = position(event);
            return true;
        }

        EventPage ended() {
            return new EventPage(events, next);
        }
    }

    private PendingFilter filter(EventQuery query) {
        Position after = query.after();
        return new PendingFilter(
                query.project(),
                query.name(),
                query.distinctId(),
                query.fromMicros(),
                query.toMicros(),
                after == null ? null : after.timestampMicros(),
                after == null ? null : after.uuid(),
                query.limit(),
                bytesMax);
    }

    private static Position position(Event event) {
        return new Position(event.timestampMicros(), event.identity().uuid());
    }

    private static EventQuery with(EventQuery query, @Nullable Position after, int limit) {
        return new EventQuery(
                query.project(), query.name(), query.distinctId(), query.fromMicros(), query.toMicros(), after, limit);
    }
}
