package dev.porcupine.history;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.ProjectId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The history in a ClickHouse table. */
final class ClickHouseHistory implements History {

    private final ClickHouseHttp http;
    private final ClickHouseSource source;
    private final ClickHouseInsert insert;
    private final ClickHouseReads reads;

    ClickHouseHistory(ClickHouseSettings settings, ClickHouseDeadlines deadlines) {
        ClickHouseTable table = new ClickHouseTable(settings);
        http = new ClickHouseHttp(settings);
        Set<String> settingsNeeded = new TreeSet<>(ClickHouseInsert.SETTINGS.keySet());
        settingsNeeded.addAll(ReadSettings.EVENTS.keySet());
        source = new ClickHouseSource(settings, table, deadlines, settingsNeeded);
        insert = new ClickHouseInsert(http, table, deadlines);
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
