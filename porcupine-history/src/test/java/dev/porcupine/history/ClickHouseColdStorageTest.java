package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.ClickHouseOptions;
import dev.porcupine.testkit.SharedClickHouse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Old parts move to the cold volume and remain history (P57, P16). */
class ClickHouseColdStorageTest {

    private static final Duration COLD_AFTER = Duration.ofDays(30);

    private final ClickHouseEndpoint server = SharedClickHouse.endpoint();
    private final String database = server.freshDatabase();
    private final ProjectId project = Sample.freshProject();

    @AfterEach
    void drop() {
        server.query("drop database if exists " + database);
    }

    @Test
    void events_move_when_they_are_old_and_are_read_written_and_counted_as_before() {
        long now = Instant.now().toEpochMilli();
        long old = Instant.now().minus(Duration.ofDays(90)).toEpochMilli();
        List<Event> fresh = Sample.events(project, 10).stream()
                .map(event -> Sample.receivedAt(event, now))
                .toList();
        List<Event> aged = Sample.events(project, 20).stream()
                .map(event -> Sample.receivedAt(event, old))
                .toList();
        try (History history = open(COLD_AFTER)) {
            insert(history, fresh);
            insert(history, aged);

            await().atMost(Duration.ofSeconds(60)).until(() -> rowsOnCold() == 20);

            assertThat(history.count(project)).isEqualTo(30);
            assertThat(history.find(aged.getFirst().identity())).contains(aged.getFirst());
            insert(history, aged);
            insert(history, List.of(Sample.tombstone(aged.getFirst(), 2), Sample.revised(aged.get(1), 2)));
            assertThat(history.count(project)).isEqualTo(29);
            assertThat(history.page(Sample.firstPage(project, 100)))
                    .hasSize(29)
                    .containsAll(
                            Stream.concat(fresh.stream(), aged.stream().skip(2)).toList())
                    .contains(Sample.revised(aged.get(1), 2));
        }
    }

    @Test
    void the_ttl_is_spelled_as_the_server_spells_it() {
        try (History history = open(COLD_AFTER)) {
            source(history);
        }

        String engine =
                server.query("select engine_full from system.tables where database = '" + database + "' format TSVRaw");

        assertThat(engine)
                .contains("TTL " + new ClickHouseTable(settings(COLD_AFTER)).moveTtl())
                .contains("storage_policy = 'hot_and_cold'");
    }

    @Test
    void a_table_made_without_cold_storage_stays_trusted_when_it_is_configured() {
        try (History history = open(null)) {
            source(history);
        }
        try (History history = open(COLD_AFTER)) {
            insert(history, Sample.events(project, 3));
            assertThat(history.count(project)).isEqualTo(3);
        }
    }

    @Test
    void an_unknown_policy_is_refused_by_the_server() {
        ClickHouseSettings settings = new ClickHouseSettings(
                server.url(), database, "events", server.user(), server.password(), "nowhere", "cold", COLD_AFTER);
        try (History history = Histories.clickHouse(settings)) {
            assertThat(history.verify())
                    .isInstanceOfSatisfying(
                            Verification.Refused.class,
                            refused -> assertThat(refused.findings())
                                    .extracting(Finding::code)
                                    .containsExactly("clickhouse_refused"));
        }
    }

    private long rowsOnCold() {
        return Long.parseLong(server.query("select sum(rows) from system.parts where active and database = '" + database
                + "' and disk_name != 'default' and disk_name not like '%hot%'"));
    }

    private History open(@Nullable Duration coldAfter) {
        return Histories.clickHouse(settings(coldAfter));
    }

    private ClickHouseSettings settings(@Nullable Duration coldAfter) {
        return new ClickHouseSettings(
                server.url(),
                database,
                "events",
                server.user(),
                server.password(),
                coldAfter == null ? null : ClickHouseOptions.STORAGE_POLICY,
                coldAfter == null ? null : ClickHouseOptions.COLD_VOLUME,
                coldAfter);
    }

    private static VerifiedSource source(History history) {
        Verification verification = history.verify();
        assertThat(verification).isInstanceOf(Verification.Verified.class);
        return ((Verification.Verified) verification).source();
    }

    private static void insert(History history, List<Event> events) {
        assertThat(history.insert(source(history), events)).isEqualTo(new InsertResult.Acknowledged());
    }
}
