package dev.porcupine.history;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.schema.Ticker;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/** The history in a ClickHouse table. */
final class ClickHouseHistory implements History {

    private final ClickHouseHttp http;
    private final ClickHouseSource source;
    private final ClickHouseInsert insert;
    private final ClickHouseLookup lookup;
    private final ClickHouseReads reads;

    ClickHouseHistory(
            ClickHouseSettings settings,
            ClickHouseDeadlines deadlines,
            MeterRegistry registry,
            Supplier<Reliance> reliance) {
        ClickHouseTable table = new ClickHouseTable(settings);
        http = new ClickHouseHttp(settings);
        Set<String> settingsNeeded = new TreeSet<>(ClickHouseInsert.SETTINGS.keySet());
        settingsNeeded.addAll(ReadSettings.EVENTS.keySet());
        settingsNeeded.addAll(ProbeStatement.SETTINGS.keySet());
        settingsNeeded.remove("wait_end_of_query"); // a parameter of the HTTP interface
        source = new ClickHouseSource(settings, table, deadlines, settingsNeeded, reliance);
        SourceCheck identity = new SourceCheck(http, table);
        insert = new ClickHouseInsert(http, identity, table, deadlines);
        lookup = new ClickHouseLookup(http, table, identity, registry, Ticker.system());
        reads = new ClickHouseReads(http, table, deadlines);
    }

    @Override
    public String kind() {
        return "clickhouse";
    }

    @Override
    public Verification verify() {
        return source.verify();
    }

    @Override
    public InsertResult insert(VerifiedSource verified, List<Event> events) {
        return insert.insert(verified, events);
    }

    @Override
    public ProbeResult probe(VerifiedSource verified, Set<EventIdentity> identities, Duration total) {
        return lookup.lookUp(verified, identities, total);
    }

    @Override
    public long count(ProjectId project) {
        return reads.count(project);
    }

    @Override
    public Optional<Event> find(EventIdentity identity) {
        return reads.find(identity);
    }

    @Override
    public List<Event> page(EventQuery query) {
        return reads.page(query);
    }

    @Override
    public void close() {
        source.close();
        http.close();
    }
}
