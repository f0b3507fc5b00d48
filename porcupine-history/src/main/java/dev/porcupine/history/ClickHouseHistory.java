package dev.porcupine.history;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.LedgerLineage;
import dev.porcupine.schema.LedgerMark;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.schema.Ticker;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The history in a ClickHouse table. */
final class ClickHouseHistory implements History {

    /** A removal shows its progress at least this often. */
    private static final Duration DELETE_WAIT = Duration.ofSeconds(10);

    private final ClickHouseHttp http;
    private final ClickHouseSource source;
    private final ClickHouseMarks marks;
    private final ClickHouseInsert insert;
    private final Map<ProbePurpose, ClickHouseLookup> lookups = new EnumMap<>(ProbePurpose.class);
    private final ClickHouseReads reads;
    private final ClickHouseErasure erasure;
    private final ClickHouseNewest newest;

    ClickHouseHistory(
            ClickHouseSettings settings,
            ClickHouseDeadlines deadlines,
            MeterRegistry registry,
            Supplier<Reliance> reliance,
            @Nullable LedgerLineage ledger,
            OwnRemovals removals) {
        ClickHouseTable table = new ClickHouseTable(settings);
        http = new ClickHouseHttp(settings);
        Set<String> settingsNeeded = new TreeSet<>(ClickHouseInsert.SETTINGS.keySet());
        settingsNeeded.addAll(ReadSettings.EVENTS.keySet());
        settingsNeeded.addAll(ProbeStatement.SETTINGS.keySet());
        settingsNeeded.remove("wait_end_of_query"); // a parameter of the HTTP interface
        marks = new ClickHouseMarks(table, http, deadlines.identity());
        source = new ClickHouseSource(settings, table, deadlines, settingsNeeded, reliance, marks, ledger, removals);
        SourceCheck identity = new SourceCheck(http, table, ledger, removals);
        insert = new ClickHouseInsert(http, identity, table, deadlines);
        ProbeMetrics probeMetrics = new ProbeMetrics(registry);
        ClickHouseProbe probe = new ClickHouseProbe(http, table, identity, probeMetrics, Ticker.system());
        for (ProbePurpose purpose : ProbePurpose.values()) {
            lookups.put(purpose, new ClickHouseLookup(probe, purpose, probeMetrics, registry, Ticker.system()));
        }
        reads = new ClickHouseReads(http, table, deadlines);
        erasure = new ClickHouseErasure(http, table, identity, deadlines, DELETE_WAIT);
        newest = new ClickHouseNewest(reads, lookup(ProbePurpose.MUTATION), identity, Ticker.system());
    }

    @Override
    public String kind() {
        return "clickhouse";
    }

    @Override
    public Verification verify() {
        return source.verify();
    }

    /** Not checked against the stamp: the insert that follows is, and the stamp names the table of marks as well. */
    @Override
    public MarkResult mark(VerifiedSource verified, LedgerMark mark) {
        return marks.write(mark);
    }

    @Override
    public InsertResult insert(VerifiedSource verified, List<Event> events) {
        return insert.insert(verified, events);
    }

    @Override
    public ProbeResult probe(
            VerifiedSource verified, Set<EventIdentity> identities, Duration total, ProbePurpose purpose) {
        return lookup(purpose).lookUp(verified, identities, total);
    }

    @Override
    public NewestResult newest(VerifiedSource verified, EventIdentity identity, Duration total) {
        return newest.newest(verified, identity, total);
    }

    @Override
    public long count(ProjectId project, Set<EventUuid> without) {
        return reads.count(project, without);
    }

    @Override
    public Set<EventUuid> standing(ProjectId project, Set<EventUuid> uuids) {
        return reads.standing(project, uuids);
    }

    @Override
    public Optional<Event> find(EventIdentity identity) {
        return reads.find(identity);
    }

    @Override
    public List<Event> page(EventQuery query, Set<EventUuid> without) {
        return reads.page(query, without);
    }

    @Override
    public ProjectErasure erasure() {
        return erasure;
    }

    @Override
    public void close() {
        source.close();
        http.close();
    }

    private ClickHouseLookup lookup(ProbePurpose purpose) {
        ClickHouseLookup lookup = lookups.get(purpose);
        if (lookup == null) {
            throw new IllegalStateException("nobody looks up for " + purpose);
        }
        return lookup;
    }
}
