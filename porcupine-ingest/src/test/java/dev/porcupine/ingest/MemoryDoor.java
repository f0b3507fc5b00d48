package dev.porcupine.ingest;

import dev.porcupine.ledger.AcceptResult;
import dev.porcupine.ledger.Verdict;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.Problem;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the ledger promises, without a disk: an identity is taken once, for ever. */
final class MemoryDoor implements EventDoor {

    private final Map<EventIdentity, Event> events = new LinkedHashMap<>();
    private @Nullable Supplier<AcceptResult> instead;

    @Override
    public synchronized AcceptResult accept(List<Event> batch) {
        if (instead != null) {
            return instead.get();
        }
        List<Verdict> verdicts = new ArrayList<>();
        for (Event event : batch) {
            Event known = events.putIfAbsent(event.identity(), event);
            boolean conflict = known != null
                    && (!known.name().equals(event.name())
                            || !known.distinctId().equals(event.distinctId()));
            verdicts.add(new Verdict(known == null ? Verdict.Kind.ACCEPTED : Verdict.Kind.KNOWN_IN_QUEUE, conflict));
        }
        return new AcceptResult.Committed(verdicts);
    }

    synchronized List<Event> events() {
        return List.copyOf(events.values());
    }

    synchronized void clear() {
        events.clear();
        instead = null;
    }

    synchronized void refuse(Problem problem, String detail) {
        instead = () -> new AcceptResult.Refused(problem, detail);
    }

    synchronized void fail(RuntimeException failure) {
        instead = () -> {
            throw failure;
        };
    }

    synchronized void open() {
        instead = null;
    }
}
