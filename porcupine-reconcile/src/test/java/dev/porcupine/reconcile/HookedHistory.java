package dev.porcupine.reconcile;

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
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A real history, with something that happens once while a probe is under way. */
final class HookedHistory implements History {

    private final History real;
    private Runnable afterProbe = () -> {};

    HookedHistory(History real) {
        this.real = real;
    }

    /** Once, after history has answered the next probe and before anybody has the answer. */
    void afterNextProbe(Runnable what) {
        afterProbe = what;
    }

    @Override
    public ProbeResult probe(
            VerifiedSource source, Set<EventIdentity> identities, Duration total, ProbePurpose purpose) {
        ProbeResult result = real.probe(source, identities, total, purpose);
        Runnable due = afterProbe;
        afterProbe = () -> {};
        due.run();
        return result;
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
    public NewestResult newest(VerifiedSource source, EventIdentity identity, Duration total) {
        return real.newest(source, identity, total);
    }

    @Override
    public long count(ProjectId project, Set<EventUuid> without) {
        return real.count(project, without);
    }

    @Override
    public Set<EventUuid> standing(ProjectId project, Set<EventUuid> uuids) {
        return real.standing(project, uuids);
    }

    @Override
    public Optional<Event> find(EventIdentity identity) {
        return real.find(identity);
    }

    @Override
    public List<Event> page(EventQuery query, Set<EventUuid> without) {
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
