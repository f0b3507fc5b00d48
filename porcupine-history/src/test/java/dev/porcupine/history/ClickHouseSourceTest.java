package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.Fault;
import dev.porcupine.testkit.FaultProxy;
import dev.porcupine.testkit.SharedClickHouse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which tables are trusted, which are created, and what an insert says when the table under it changes. */
class ClickHouseSourceTest {

    private static final String INDEXES = "index uuid_range toUInt128(uuid) type minmax granularity 1,"
            + " index uuid_bloom uuid type bloom_filter(0.00001) granularity 1";

    private final ClickHouseEndpoint server = SharedClickHouse.endpoint();
    private final String database = server.freshDatabase();
    private final ProjectId project = Sample.freshProject();
    private History history;

    @BeforeEach
    void open() {
        history = open(database);
    }

    @AfterEach
    void close() {
        history.close();
        server.query("drop database if exists " + database);
    }

    @Test
    void a_missing_database_and_table_are_created_on_first_use() {
        server.query("drop database " + database);

        VerifiedSource source = source();

        assertThat(server.query(
                        "select uuid from system.tables where database = '" + database + "' and name = 'events'"))
                .isEqualTo(source.tableUuid().toString());
    }

    @Test
    void the_created_table_is_durable_keeps_every_row_and_has_its_indexes() {
        source();

        String ddl = server.query(
                "select create_table_query from system.tables where database = '" + database + "' and name = 'events'");

        assertThat(ddl)
                .contains(
                        "ReplacingMergeTree(revision)",
                        "PARTITION BY toYYYYMM(received_at)",
                        "ORDER BY (project_id, uuid)",
                        "INDEX uuid_range toUInt128(uuid) TYPE minmax GRANULARITY 1",
                        "INDEX uuid_bloom uuid TYPE bloom_filter(0.00001) GRANULARITY 1",
                        "fsync_after_insert = 1",
                        "fsync_part_directory = 1",
                        "max_suspicious_broken_parts = 0",
                        "max_suspicious_broken_parts_bytes = 0",
                        "allow_experimental_replacing_merge_with_cleanup = 0",
                        "enable_replacing_merge_with_cleanup_for_min_age_to_force_merge = 0")
                .doesNotContain("TTL");
    }

    @Test
    void two_processes_that_create_the_table_at_once_agree_on_it() {
        try (History other = open(database)) {
            List<Verification> both = List.of(1, 2).parallelStream()
                    .map(n -> n == 1 ? history.verify() : other.verify())
                    .toList();

            assertThat(both).hasOnlyElementsOfType(Verification.Verified.class);
            assertThat(source().tableUuid())
                    .isEqualTo(((Verification.Verified) other.verify()).source().tableUuid());
        }
    }

    @Test
    void a_readable_timestamp_stands_beside_the_exact_one() {
        insert(Sample.event(project, Sample.freshUuid(), 1_780_000_000_123_456L));

        assertThat(server.query("select timestamp from " + database + ".events where project_id = " + project))
                .isEqualTo("2026-05-28 20:26:40.123456");
    }

    @Test
    void another_engine_is_refused() {
        String columns = columns();
        create("create table ${table} " + columns + " engine = MergeTree order by (project_id, uuid)");
        assertRefused("source_wrong_engine");

        create("create table ${table} " + columns.replace(", " + INDEXES, "") + " engine = Memory");
        assertRefused("source_wrong_engine", "source_wrong_sorting_key", "source_index_missing");

        create("create table ${table} " + columns
                + " engine = ReplacingMergeTree(revision, is_deleted) order by (project_id, uuid)");
        assertRefused("source_wrong_engine");

        create("create table ${table} " + columns + " engine = ReplacingMergeTree order by (project_id, uuid)");
        assertRefused("source_wrong_engine");

        create("create view ${table} as select 1 as x");
        assertThat(codes()).contains("source_wrong_engine", "source_wrong_column");
    }

    @Test
    void another_sorting_key_is_refused() {
        create("create table ${table} " + columns()
                + " engine = ReplacingMergeTree(revision) order by (uuid, project_id)");
        assertRefused("source_wrong_sorting_key");

        create("create table ${table} " + columns()
                + " engine = ReplacingMergeTree(revision) primary key (project_id, uuid)"
                + " order by (project_id, uuid, event)");
        assertRefused("source_wrong_sorting_key");
    }

    @Test
    void a_partition_key_that_could_part_the_revisions_of_an_event_is_refused() {
        create("create table ${table} " + columns()
                + " engine = ReplacingMergeTree(revision) order by (project_id, uuid) partition by is_deleted");

        assertRefused("source_wrong_partition_key");
    }

    @Test
    void a_missing_or_other_column_is_refused_and_a_further_one_is_not() {
        source();
        server.query("alter table " + table() + " add column country String default 'unknown'");
        assertThat(history.verify()).isInstanceOf(Verification.Verified.class);
        insert(Sample.event(project));

        server.query("alter table " + table() + " modify column is_deleted UInt16");
        assertRefused("source_wrong_column");

        server.query("alter table " + table() + " modify column is_deleted UInt8");
        server.query("alter table " + table() + " drop column distinct_id");
        assertRefused("source_wrong_column");
    }

    @Test
    void a_column_that_is_computed_instead_of_stored_is_refused() {
        String stored = columns();
        for (String column : List.of("revision UInt64", "is_deleted UInt8", "event String")) {
            for (String kind : List.of("alias", "materialized")) {
                String type = column.substring(column.indexOf(' ') + 1);
                create("create table ${table} "
                        + stored.replace(column, column + " " + kind + " cast(0, '" + type + "')")
                        + (column.startsWith("revision") && kind.equals("alias")
                                ? " engine = MergeTree order by (project_id, uuid)"
                                : " engine = ReplacingMergeTree(revision) order by (project_id, uuid)"));
                assertThat(codes()).as("%s %s", column, kind).contains("source_wrong_column");
            }
        }
        create("create table ${table} " + stored.replace("uuid UUID,", "uuid UUID materialized generateUUIDv4(),")
                + " engine = ReplacingMergeTree(revision) order by (project_id, uuid)");
        assertRefused("source_wrong_column");
        create("create table ${table} " + stored.replace("event String", "event String default 'none'")
                + " engine = ReplacingMergeTree(revision) order by (project_id, uuid)");
        assertThat(codes()).isEmpty();
    }

    @Test
    void a_server_that_answers_in_the_place_of_the_verified_one_is_noticed_although_its_table_has_the_same_uuid() {
        try (FaultProxy proxy = FaultProxy.before(server.url());
                History through = Histories.clickHouse(
                        new ClickHouseSettings(
                                proxy.url(), database, "events", server.user(), server.password(), null, null, null),
                        new SimpleMeterRegistry())) {
            VerifiedSource source = ((Verification.Verified) through.verify()).source();
            Event event = Sample.event(project);
            assertThat(through.insert(source, List.of(event))).isEqualTo(new InsertResult.Acknowledged());
            String here = server.query("select serverUUID()");
            proxy.always(Fault.rewrite(answer -> {
                String body = new String(answer.body(), StandardCharsets.ISO_8859_1);
                return answer.withBody(
                        body.replace(here, here.substring(1) + "f").getBytes(StandardCharsets.ISO_8859_1));
            }));
            assertThat(through.probe(source, Set.of(event.identity()), Duration.ofSeconds(5), ProbePurpose.CAPTURE))
                    .isInstanceOfSatisfying(
                            ProbeResult.Failed.class,
                            failed -> assertThat(failed.failure()).isEqualTo(ProbeFailure.SOURCE_CHANGED));
            assertThat(through.insert(source, List.of(event))).isInstanceOf(InsertResult.Unknown.class);
        }
    }

    @Test
    void a_database_engine_without_table_uuids_is_refused() {
        server.query("drop database " + database);
        server.query("create database " + database + " engine = Memory");

        assertThat(history.verify()).isInstanceOf(Verification.Refused.class);
    }

    @Test
    void a_table_that_vanishes_is_reported_and_not_quietly_made_anew() {
        source();
        server.query("drop table " + table() + " sync");

        assertRefused("source_table_missing");
        assertThat(server.query("exists table " + table())).isEqualTo("0");
    }

    @Test
    void an_insert_into_a_vanished_table_is_unknown() {
        VerifiedSource source = source();
        server.query("drop table " + table() + " sync");

        assertThat(history.insert(source, List.of(Sample.event(project))))
                .isInstanceOfSatisfying(
                        InsertResult.Unknown.class,
                        unknown -> assertThat(unknown.reason()).contains("60"));
    }

    @Test
    void an_insert_into_another_table_of_the_same_name_is_unknown() {
        VerifiedSource source = source();
        server.query("drop table " + table() + " sync");
        try (History other = open(database)) {
            other.verify();
        }

        assertThat(history.insert(source, List.of(Sample.event(project))))
                .isInstanceOfSatisfying(
                        InsertResult.Unknown.class,
                        unknown -> assertThat(unknown.reason())
                                .contains(
                                        "no longer the verified one",
                                        source.tableUuid().toString()));
        assertThat(source().tableUuid()).isNotEqualTo(source.tableUuid());
    }

    @Test
    void what_is_done_while_the_definition_changes_does_not_count() {
        VerifiedSource source = source();
        Event event = Sample.event(project);
        assertThat(history.probe(source, Set.of(event.identity()), Duration.ofSeconds(5), ProbePurpose.CAPTURE))
                .isInstanceOf(ProbeResult.Complete.class);
        for (String change : List.of(
                "alter table ${table} modify ttl toDateTime(received_at) + interval 10 year",
                "alter table ${table} remove ttl",
                "alter table ${table} update event = 'x' where event = 'y'",
                "delete from ${table} where event = 'y'")) {
            server.query(change.replace("${table}", table()));
            assertThat(history.insert(source, List.of(event))).as(change).isInstanceOf(InsertResult.Unknown.class);
            assertThat(history.probe(source, Set.of(event.identity()), Duration.ofSeconds(5), ProbePurpose.CAPTURE))
                    .as(change)
                    .isInstanceOfSatisfying(
                            ProbeResult.Failed.class,
                            failed -> assertThat(failed.failure()).isEqualTo(ProbeFailure.SOURCE_CHANGED));
            if (history.verify() instanceof Verification.Verified(VerifiedSource again)) {
                source = again;
            }
        }
    }

    @Test
    void detached_partition_is_noticed_by_the_next_probe() {
        insert(Sample.event(project));
        VerifiedSource source = source();
        server.query("alter table " + table() + " detach partition all");

        assertThat(history.probe(
                        source, Set.of(Sample.event(project).identity()), Duration.ofSeconds(5), ProbePurpose.CAPTURE))
                .isInstanceOf(ProbeResult.Failed.class);
    }

    @Test
    void a_proof_of_another_table_acknowledges_nothing() {
        source();

        assertThat(history.insert(Sample.source(UUID.randomUUID()), List.of(Sample.event(project))))
                .isInstanceOf(InsertResult.Unknown.class);
    }

    @Test
    void a_row_that_breaks_a_constraint_is_refused_for_its_own_sake_without_its_values() {
        source();
        server.query("alter table " + table() + " add constraint no_poison check event != 'poison secret'");
        VerifiedSource source = source();
        Event good = Sample.event(project);
        Event poison = Sample.named(Sample.event(project), "poison secret", "user");

        assertThat(history.insert(source, List.of(good, poison)))
                .isInstanceOfSatisfying(
                        InsertResult.RowsRefused.class,
                        refused -> assertThat(refused.reason())
                                .contains("469", "VIOLATED_CONSTRAINT", "no_poison")
                                .doesNotContain("secret"));
        assertThat(history.count(project)).isZero();
        assertThat(history.insert(source, List.of(good))).isEqualTo(new InsertResult.Acknowledged());
    }

    @Test
    void a_row_that_an_operators_own_column_cannot_take_is_refused_for_its_own_sake() {
        source();
        server.query("alter table " + table() + " add column shoe_size UInt8 materialized"
                + " toUInt8(JSONExtractString(properties, 'shoe_size'))");
        VerifiedSource source = source();
        Event good = Sample.withProperties(Sample.event(project), "{\"shoe_size\":\"42\"}");
        Event bad = Sample.withProperties(Sample.event(project), "{\"shoe_size\":\"large\"}");

        assertThat(history.insert(source, List.of(good, bad))).isInstanceOf(InsertResult.RowsRefused.class);
        assertThat(history.insert(source, List.of(good))).isEqualTo(new InsertResult.Acknowledged());
    }

    @Test
    void a_drifted_column_is_not_blamed_on_the_rows() {
        VerifiedSource source = source();
        server.query("alter table " + table() + " modify column is_deleted UInt16");
        assertThat(history.insert(source, List.of(Sample.event(project)))).isInstanceOf(InsertResult.Unknown.class);

        server.query("alter table " + table() + " drop column is_deleted");
        assertThat(history.insert(source, List.of(Sample.event(project)))).isInstanceOf(InsertResult.Unknown.class);
    }

    @Test
    void an_operators_materialized_view_does_not_disturb_the_acknowledgement() {
        source();
        server.query("create table " + database + ".names (event String) engine = MergeTree order by event");
        server.query("create materialized view " + database + ".to_names to " + database
                + ".names as select event from " + table());

        insert(Sample.events(project, 10));

        assertThat(history.count(project)).isEqualTo(10);
        assertThat(server.query("select count() from " + database + ".names")).isEqualTo("10");
    }

    @Test
    void rows_that_no_merge_has_met_yet_count_once() {
        source();
        server.query("system stop merges " + table());
        List<Event> events = Sample.events(project, 500);
        List<Event> revised = events.subList(0, 100).stream()
                .map(event -> Sample.revised(event, 2))
                .toList();
        List<Event> deleted = events.subList(100, 150).stream()
                .map(event -> Sample.tombstone(event, 2))
                .toList();

        insert(events);
        insert(events);
        insert(revised);
        insert(deleted);
        insert(events);

        assertThat(server.query("select count() from " + table())).isEqualTo("1650");
        assertThat(history.count(project)).isEqualTo(450);
        List<Event> page = history.page(Sample.firstPage(project, 1000));
        assertThat(page).hasSize(450).containsAll(revised);

        server.query("system start merges " + table());
        server.query("optimize table " + table() + " final");
        assertThat(history.count(project)).isEqualTo(450);
        assertThat(history.page(Sample.firstPage(project, 1000))).isEqualTo(page);
    }

    @Test
    void lookups_use_the_key_and_the_indexes() {
        insert(Sample.events(project, 10));

        String plan = server.query("explain indexes = 1 select revision from " + table() + " where project_id = "
                + project + " and uuid in ('" + Sample.freshUuid() + "')");

        assertThat(plan).contains("PrimaryKey", "uuid_bloom");
    }

    private List<String> codes() {
        return switch (history.verify()) {
            case Verification.Verified verified -> List.of();
            case Verification.Refused refused ->
                refused.findings().stream().map(Finding::code).distinct().toList();
        };
    }

    private void assertRefused(String... codes) {
        assertThat(codes()).containsExactly(codes);
    }

    private VerifiedSource source() {
        Verification verification = history.verify();
        assertThat(verification).isInstanceOf(Verification.Verified.class);
        return ((Verification.Verified) verification).source();
    }

    private void insert(Event event) {
        insert(List.of(event));
    }

    private void insert(List<Event> events) {
        assertThat(history.insert(source(), events)).isEqualTo(new InsertResult.Acknowledged());
    }

    private String table() {
        return database + ".events";
    }

    private void create(String ddl) {
        server.query("drop table if exists " + table() + " sync");
        server.query(ddl.replace("${table}", table()));
    }

    private static String columns() {
        return ClickHouseTable.COLUMNS.stream()
                .map(column -> column.name() + " " + column.type())
                .collect(Collectors.joining(", ", "(", ", " + INDEXES + ")"));
    }

    private History open(String inDatabase) {
        return Histories.clickHouse(
                new ClickHouseSettings(
                        server.url(), inDatabase, "events", server.user(), server.password(), null, null, null),
                new SimpleMeterRegistry());
    }
}
