package dev.porcupine.query;

import dev.porcupine.history.EventQuery;
import dev.porcupine.history.EventQuery.Position;
import dev.porcupine.history.History;
import dev.porcupine.history.HistoryReadException;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads one page within its byte bound. History caps the bytes of one answer; a thousand large events go over that cap, so what is
 * asked of it is halved until it fits, and the page is put together from the parts.
 */
final class EventPages {

    /** No more halving after this: a limit that is not about bytes would be met again and again. */
    private static final long HALVING_NANOS_MAX = Duration.ofSeconds(5).toNanos();

    private final History history;
    private final long bytesMax;
    private final Ticker ticker;

    EventPages(History history, long bytesMax, Ticker ticker) {
        this.history = history;
        this.bytesMax = bytesMax;
        this.ticker = ticker;
    }

    /** @throws HistoryReadException when history can't answer completely */
    EventPage read(EventQuery query) {
        long started = ticker.nanos();
        List<Event> events = new ArrayList<>();
        EventQuery rest = query;
        int rowsMax = query.limit();
        long bytes = 0;
        while (true) {
            int wanted = Math.min(rowsMax, query.limit() - events.size());
            List<Event> part;
            try {
                part = history.page(with(rest, rest.after(), wanted));
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
                events.add(event);
                bytes += event.properties().length;
                if (bytes >= bytesMax) {
                    return new EventPage(events, position(event));
                }
            }
            if (part.size() < wanted) {
                return new EventPage(events, null);
            }
            Position last = position(part.getLast());
            if (events.size() >= query.limit()) {
                return new EventPage(events, last);
            }
            rest = with(rest, last, wanted);
        }
    }

    private static Position position(Event event) {
        return new Position(event.timestampMicros(), event.identity().uuid());
    }

    private static EventQuery with(EventQuery query, @Nullable Position after, int limit) {
        return new EventQuery(
                query.project(), query.name(), query.distinctId(), query.fromMicros(), query.toMicros(), after, limit);
    }
}
