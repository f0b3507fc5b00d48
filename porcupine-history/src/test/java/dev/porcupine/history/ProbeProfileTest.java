package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.testkit.ClickHouseOptions;
import dev.porcupine.testkit.ClickHouseServer;
import dev.porcupine.testkit.ClickHouseUser;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Operators' profiles and physical states of rows that would hide a row from an ordinary query. */
class ProbeProfileTest {

    private static final String PASSWORD = "secret";
    private static final Duration TOTAL = Duration.ofSeconds(6);
    private static final ClickHouseServer SERVER = ClickHouseServer.start(ClickHouseOptions.defaults()
            .withUser(profile("final").withSetting("final", 1))
            .withUser(profile("table_filters").withSetting("additional_table_filters", "{'events':'revision > 5'}"))
            .withUser(profile("result_filter").withSetting("additional_result_filter", "project_id > 999999999"))
            .withUser(profile("result_limits")
                    .withSetting("limit", 1)
                    .withSetting("max_result_rows", 1)
                    .withSetting("result_overflow_mode", "break"))
            .withUser(profile("read_limits")
                    .withSetting("max_rows_to_read", 1)
                    .withSetting("read_overflow_mode", "break"))
            .withUser(profile("query_cache").withSetting("use_query_cache", 1))
            .withUser(profile("group_limits")
                    .withSetting("max_rows_to_group_by", 1)
                    .withSetting("group_by_overflow_mode", "any"))
            .withUser(profile("no_indexes").withSetting("ignore_data_skipping_indices", "uuid_bloom")));

    private final String database = SERVER.freshDatabase();
    private final List<History> opened = new ArrayList<>();

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    @AfterEach
    void close() {
        opened.forEach(History::close);
        SERVER.query("drop database if exists " + database);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "final",
                "table_filters",
                "result_filter",
                "result_limits",
                "read_limits",
                "query_cache",
                "group_limits",
                "no_indexes"
            })
    void operators_profile_hides_no_identity(String user) {
        List<Event> events = Sample.events(Sample.freshProject(), 20);
        insert(open(SERVER.user(), SERVER.password()), events);
        Store store = open(user, PASSWORD);
        Set<EventIdentity> asked = identities(events);
        EventIdentity absent =
                Sample.event(events.getFirst().identity().project()).identity();
        asked.add(absent);
        assertThat(store.probe(asked)).isEqualTo(new ProbeResult.Complete(identities(events)));
        assertThat(store.probe(asked)).isEqualTo(new ProbeResult.Complete(identities(events)));
    }

    @Test
    void every_physical_row_counts_whatever_its_state() {
        Store store = open(SERVER.user(), SERVER.password());
        List<Event> events = Sample.events(Sample.freshProject(), 5);
        Event revised = events.get(0);
        Event tombstoned = events.get(1);
        Event masked = events.get(2);
        Event old = Sample.receivedAt(
                events.get(3), Instant.parse("2019-01-05T00:00:00Z").toEpochMilli());
        insert(store, List.of(revised, tombstoned, masked, old, events.get(4)));
        insert(store, List.of(Sample.revised(revised, 2), Sample.tombstone(tombstoned, 2)));
        SERVER.query("delete from " + database + ".events where uuid = '"
                + masked.identity().uuid() + "'");
        // The delete changed the table's mutations, so what was verified before it doesn't count any more.
        Store looked = open(SERVER.user(), SERVER.password());
        assertThat(looked.probe(identities(events))).isEqualTo(new ProbeResult.Complete(identities(events)));
    }

    @Test
    void rows_in_a_cold_partition_count() {
        Store store = open(new ClickHouseSettings(
                SERVER.url(),
                database,
                "events",
                SERVER.user(),
                SERVER.password(),
                ClickHouseOptions.STORAGE_POLICY,
                ClickHouseOptions.COLD_VOLUME,
                Duration.ofDays(30)));
        Event cold = Sample.receivedAt(
                Sample.event(Sample.freshProject()),
                Instant.parse("2020-02-05T00:00:00Z").toEpochMilli());
        insert(store, List.of(cold));
        assertThat(SERVER.query(
                        "select distinct disk_name from system.parts where active and database = '" + database + "'"))
                .startsWith("cold");
        assertThat(store.probe(Set.of(cold.identity()))).isEqualTo(new ProbeResult.Complete(Set.of(cold.identity())));
    }

    @Test
    void thousands_of_revisions_of_one_event_are_one_row_of_the_answer() {
        Store store = open(SERVER.user(), SERVER.password());
        Event event = Sample.event(Sample.freshProject());
        List<Event> revisions = new ArrayList<>();
        for (int revision = 2; revision <= 5_000; revision++) {
            revisions.add(Sample.revised(event, revision));
        }
        insert(store, revisions);
        assertThat(store.probe(Set.of(event.identity()))).isEqualTo(new ProbeResult.Complete(Set.of(event.identity())));
    }

    @Test
    void batch_of_any_size_and_of_many_projects_is_probed_in_parts() {
        Store store = open(SERVER.user(), SERVER.password());
        List<Event> events = new ArrayList<>();
        for (int project = 0; project < 7; project++) {
            events.addAll(Sample.events(Sample.freshProject(), 250));
        }
        insert(store, events);
        Set<EventIdentity> asked = identities(events);
        for (Event event : events) {
            asked.add(Sample.event(event.identity().project()).identity());
        }
        assertThat(store.probe(asked)).isEqualTo(new ProbeResult.Complete(identities(events)));
    }

    @Test
    void same_uuid_in_another_project_is_absent() {
        Store store = open(SERVER.user(), SERVER.password());
        Event event = Sample.event(Sample.freshProject());
        insert(store, List.of(event));
        EventIdentity elsewhere =
                new EventIdentity(Sample.freshProject(), event.identity().uuid());
        assertThat(store.probe(Set.of(elsewhere))).isEqualTo(new ProbeResult.Complete(Set.of()));
    }

    @Test
    void abandoned_probe_stops_on_the_server_and_is_found_by_its_marker() {
        Store store = open(SERVER.user(), SERVER.password());
        Event event = Sample.event(Sample.freshProject());
        insert(store, List.of(event));
        assertThat(store.probe(Set.of(event.identity()))).isInstanceOf(ProbeResult.Complete.class);
        SERVER.query("system flush logs");
        assertThat(SERVER.query("select count() from system.query_log where type = 'QueryFinish' and query like '"
                        + ProbeStatement.MARKER + "%' and query like '%"
                        + event.identity().uuid() + "%'"
                        + " and Settings['readonly'] = '2'"
                        + " and Settings['cancel_http_readonly_queries_on_client_close'] = '1'"))
                .isEqualToIgnoringWhitespace("1");
    }

    private record Store(History history, VerifiedSource source) {

        ProbeResult probe(Set<EventIdentity> identities) {
            return history.probe(source, identities, TOTAL, ProbePurpose.CAPTURE);
        }
    }

    private Store open(String user, String password) {
        return open(new ClickHouseSettings(SERVER.url(), database, "events", user, password, null, null, null));
    }

    private Store open(ClickHouseSettings settings) {
        History history = Histories.clickHouse(settings, new SimpleMeterRegistry());
        opened.add(history);
        return new Store(history, ((Verification.Verified) history.verify()).source());
    }

    private static void insert(Store store, List<Event> events) {
        assertThat(store.history().insert(store.source(), events)).isInstanceOf(InsertResult.Acknowledged.class);
    }

    private static Set<EventIdentity> identities(List<Event> events) {
        return events.stream().map(Event::identity).collect(Collectors.toCollection(HashSet::new));
    }

    private static ClickHouseUser profile(String name) {
        return ClickHouseUser.named(name, PASSWORD);
    }
}
