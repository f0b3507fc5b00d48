package dev.porcupine.query;

import dev.porcupine.history.EventQuery;
import dev.porcupine.history.History;
import dev.porcupine.history.InsertResult;
import dev.porcupine.history.MarkResult;
import dev.porcupine.history.NewestResult;
import dev.porcupine.history.ProbePurpose;
import dev.porcupine.history.ProbeResult;
import dev.porcupine.history.ProjectErasure;
import dev.porcupine.history.Verification;
import dev.porcupine.history.VerifiedSource;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.LedgerMark;
import dev.porcupine.schema.ProjectId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntConsumer;

/** A real history with a step before each read, where tests fail or hold it. */
final class SteeredHistory implements History {

    private final History real;
    private final List<Integer> pageLimits = Collections.synchronizedList(new ArrayList<>());
    private volatile IntConsumer beforeRead = rows -> {};

    SteeredHistory(History real) {
        this.real = real;
    }

    /**
     * @param step gets the rows asked for
     */
    void beforeRead(IntConsumer step) {
        beforeRead = step;
    }

    /** Rows that each page asked for, in order. */
    List<Integer> pageLimits() {
        return pageLimits;
    }

    @Override
    public String kind() {
        return real.kind();
    }

    @Override
    public Verification verify() {
        return real.verify();
    }

    @Override
    public MarkResult mark(VerifiedSource source, LedgerMark mark) {
        return real.mark(source, mark);
    }

    @Override
    public InsertResult insert(VerifiedSource source, List<Event> events) {
        return real.insert(source, events);
    }

    @Override
    public ProbeResult probe(
            VerifiedSource source, Set<EventIdentity> identities, Duration total, ProbePurpose purpose) {
        return real.probe(source, identities, total, purpose);
    }

    @Override
    public NewestResult newest(VerifiedSource source, EventIdentity identity, Duration total) {
        return real.newest(source, identity, total);
    }

    @Override
    public long count(ProjectId project, Set<EventUuid> without) {
        beforeRead.accept(1);
        return real.count(project, without);
    }

    @Override
    public Set<EventUuid> standing(ProjectId project, Set<EventUuid> uuids) {
        return real.standing(project, uuids);
    }

    @Override
    public Optional<Event> find(EventIdentity identity) {
        beforeRead.accept(1);
        return real.find(identity);
    }

    @Override
    public List<Event> page(EventQuery query, Set<EventUuid> without) {
        pageLimits.add(query.limit());
        beforeRead.accept(query.limit());
        return real.page(query, without);
    }

    @Override
    public ProjectErasure erasure() {
        return real.erasure();
    }

    @Override
    public void close() {
        real.close();
    }
}
