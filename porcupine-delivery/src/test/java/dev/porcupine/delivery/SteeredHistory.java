package dev.porcupine.delivery;

import dev.porcupine.history.EventQuery;
import dev.porcupine.history.Finding;
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
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** A real history with a seam around verification and insertion, where tests fail, delay or watch the exchange. */
final class SteeredHistory implements History {

    private final History real;
    private final List<Integer> insertedRows = new ArrayList<>();
    private int verifications;
    private int marks;
    private Supplier<Optional<MarkResult>> markStep = Optional::empty;
    private InsertStep insertStep = (events, insert) -> insert.get();
    private Supplier<Optional<Finding>> verifyStep = Optional::empty;

    @FunctionalInterface
    interface InsertStep {

        InsertResult around(List<Event> events, Supplier<InsertResult> insert);
    }

    SteeredHistory(History real) {
        this.real = real;
    }

    void onInsert(InsertStep step) {
        insertStep = step;
    }

    /**
     * @param step a finding to refuse with, or nothing to ask the real history
     */
    void onVerify(Supplier<Optional<Finding>> step) {
        verifyStep = step;
    }

    /**
     * @param step what is answered instead of marking
     */
    void onMark(Supplier<MarkResult> step) {
        markStep = () -> Optional.of(step.get());
    }

    /** How often a mark was asked for. */
    int marks() {
        return marks;
    }

    void steerNoMore() {
        insertStep = (events, insert) -> insert.get();
        verifyStep = Optional::empty;
    }

    /** Rows of each insert asked for, in order. */
    List<Integer> insertedRows() {
        return insertedRows;
    }

    int verifications() {
        return verifications;
    }

    @Override
    public String kind() {
        return real.kind();
    }

    @Override
    public Verification verify() {
        verifications++;
        return verifyStep
                .get()
                .<Verification>map(finding -> new Verification.Refused(List.of(finding)))
                .orElseGet(real::verify);
    }

    @Override
    public MarkResult mark(VerifiedSource source, LedgerMark mark) {
        marks++;
        return markStep.get().orElseGet(() -> real.mark(source, mark));
    }

    @Override
    public InsertResult insert(VerifiedSource source, List<Event> events) {
        insertedRows.add(events.size());
        return insertStep.around(events, () -> real.insert(source, events));
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
