package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.ClickHouseOptions;
import dev.porcupine.testkit.SharedClickHouse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A project leaves a real table, its cold part included, and the others and everybody's trust in it stay as they were. */
class ClickHouseErasureTest {

    private static final Duration COLD_AFTER = Duration.ofDays(30);
    private static final Duration WITHIN = Duration.ofSeconds(60);

    private final ClickHouseEndpoint server = SharedClickHouse.endpoint();
    private final String database = server.freshDatabase();
    private final String table = database + ".events";
    private final ProjectId project = Sample.freshProject();
    private final ProjectId other = Sample.freshProject();
    private final Set<Long> removed = new HashSet<>();
    private final ClickHouseSettings settings = new ClickHouseSettings(
            server.url(),
            database,
            "events",
            server.user(),
            server.password(),
            ClickHouseOptions.STORAGE_POLICY,
            ClickHouseOptions.COLD_VOLUME,
            COLD_AFTER);
    private Reliance reliance = Reliance.COMING;
    private History history;

    @BeforeEach
    void open() {
        history = Histories.clickHouse(settings, new SimpleMeterRegistry(), () -> reliance, null, removed::contains);
        source();
        reliance = Reliance.PINNED;
    }

    @AfterEach
    void close() {
        history.close();
        server.query("drop database if exists " + database);
    }

    @Test
    void rows_in_every_partition_and_on_the_cold_volume_go_without_a_mask_and_no_other_row_changes() {
        insert(aged(Sample.events(project, 20), 90));
        insert(aged(Sample.events(project, 20), 60));
        insert(aged(Sample.events(project, 10), 0));
        insert(aged(Sample.events(other, 15), 90));
        insert(aged(Sample.events(other, 5), 0));
        await().atMost(WITHIN).until(() -> rowsOnCold() == 55);
        String others = fingerprint(other);
        VerifiedSource before = source();
        removed.add(project.value());

        assertThat(history.erasure().erase(before, project)).isEqualTo(new EraseResult.Empty());

        assertThat(count("project_id = " + project)).isZero();
        assertThat(fingerprint(other)).isEqualTo(others);
        assertThat(server.query(
                        "select sum(has_lightweight_delete), countIf(startsWith(name, 'patch-')) from system.parts"
                                + " where active and database = '" + database + "'"))
                .isEqualTo("0\t0");
        assertThat(source().warnings()).isEmpty();
        assertThat(rowsOnCold()).isEqualTo(15);
    }

    /** The stamp is compared around every insert and probe: a removal must not void those of other projects. */
    @Test
    void removal_voids_no_insert_and_no_probe_of_another_project_that_is_under_way() {
        List<Event> events = Sample.events(other, 3);
        insert(events);
        insert(Sample.events(project, 3));
        VerifiedSource takenBefore = source();
        removed.add(project.value());
        assertThat(history.erasure().erase(takenBefore, project)).isEqualTo(new EraseResult.Empty());

        Set<EventIdentity> asked =
                Set.of(events.getFirst().identity(), Sample.event(other).identity());
        assertThat(history.probe(takenBefore, asked, Duration.ofSeconds(5), ProbePurpose.CAPTURE))
                .isEqualTo(new ProbeResult.Complete(Set.of(events.getFirst().identity())));
        assertThat(history.insert(takenBefore, Sample.events(other, 2))).isEqualTo(new InsertResult.Acknowledged());
    }

    @Test
    void same_command_for_a_project_that_lives_is_a_finding_and_voids_what_is_under_way() {
        insert(Sample.events(project, 3));
        VerifiedSource takenBefore = source();

        server.query("alter table " + table + " delete where project_id = " + project + " settings mutations_sync = 2");

        assertThat(codes()).containsExactly("source_rows_removed");
        assertThat(history.insert(takenBefore, Sample.events(other, 2))).isInstanceOf(InsertResult.Unknown.class);
        removed.add(project.value());
        assertThat(codes()).isEmpty();
    }

    @Test
    void any_other_deletion_in_a_removed_project_is_a_finding_and_voids_what_is_under_way() {
        insert(Sample.events(project, 3));
        removed.add(project.value());
        VerifiedSource takenBefore = source();

        server.query("alter table " + table + " delete where project_id = " + project
                + " and revision > 1 settings mutations_sync = 2");

        assertThat(codes()).containsExactly("source_rows_removed");
        assertThat(history.insert(takenBefore, Sample.events(other, 2))).isInstanceOf(InsertResult.Unknown.class);
    }

    @Test
    void mutation_that_outlasts_the_wait_is_found_again_and_not_asked_for_twice() {
        insert(Sample.events(project, 3));
        removed.add(project.value());
        VerifiedSource source = source();
        server.query("system stop merges " + table);
        try {
            for (int process = 0; process < 3; process++) {
                assertThat(impatient().erase(source, project)).isEqualTo(new EraseResult.Left(3));
            }
            assertThat(mutations()).isOne();
        } finally {
            server.query("system start merges " + table);
        }

        await().atMost(WITHIN).until(() -> impatient().erase(source, project) instanceof EraseResult.Empty);

        assertThat(mutations()).isOne();
    }

    @Test
    void empty_table_in_the_place_of_the_verified_one_is_not_taken_for_an_empty_project() {
        insert(Sample.events(project, 3));
        removed.add(project.value());
        VerifiedSource verified = source();
        server.query("create table " + database + ".twin as " + table);
        server.query("exchange tables " + table + " and " + database + ".twin");

        assertThat(history.erasure().erase(verified, project)).isInstanceOf(EraseResult.Failed.class);

        server.query("exchange tables " + table + " and " + database + ".twin");
        assertThat(history.erasure().erase(verified, project)).isEqualTo(new EraseResult.Empty());
    }

    private ClickHouseErasure impatient() {
        ClickHouseTable events = new ClickHouseTable(settings);
        ClickHouseHttp http = new ClickHouseHttp(settings);
        return new ClickHouseErasure(
                http,
                events,
                new SourceCheck(http, events, null, new OwnRemovals(removed::contains)),
                ClickHouseDeadlines.PRODUCTION,
                Duration.ofMillis(300));
    }

    private List<String> codes() {
        return switch (history.verify()) {
            case Verification.Verified _ -> List.of();
            case Verification.Refused(List<Finding> findings) ->
                findings.stream().map(Finding::code).toList();
        };
    }

    private long mutations() {
        return Long.parseLong(server.query("select uniqExact(mutation_id) from system.mutations where database = '"
                + database + "' and table = 'events'"));
    }

    private long count(String condition) {
        return Long.parseLong(server.query(
                "select count() from " + table + " where " + condition + " settings apply_deleted_mask = 0"));
    }

    private String fingerprint(ProjectId of) {
        return server.query("select count(), sum(cityHash64(*)) from " + table + " where project_id = " + of);
    }

    private long rowsOnCold() {
        return Long.parseLong(server.query("select sum(rows) from system.parts where active and database = '" + database
                + "' and disk_name != 'default' and disk_name not like '%hot%'"));
    }

    private static List<Event> aged(List<Event> events, int days) {
        long received = Instant.now().minus(Duration.ofDays(days)).toEpochMilli();
        return events.stream().map(event -> Sample.receivedAt(event, received)).toList();
    }

    private void insert(List<Event> events) {
        assertThat(history.insert(source(), events)).isEqualTo(new InsertResult.Acknowledged());
    }

    private VerifiedSource source() {
        Verification verification = history.verify();
        assertThat(verification).isInstanceOf(Verification.Verified.class);
        return ((Verification.Verified) verification).source();
    }
}
