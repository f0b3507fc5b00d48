package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.testkit.ClickHouseOptions;
import dev.porcupine.testkit.ClickHouseServer;
import dev.porcupine.testkit.ClickHouseUser;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Whatever the operator's profile says, writes are synchronous and reads are whole. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClickHouseProfileTest {

    private static final String DATABASE = "porcupine";

    private ClickHouseServer server;
    private ProjectId project;

    @BeforeAll
    void start() {
        server = ClickHouseServer.start();
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @AfterEach
    void plainOperator() {
        server.restart(ClickHouseOptions.defaults());
    }

    @BeforeEach
    void emptyDatabase() {
        project = Sample.freshProject();
        server.query("drop database if exists " + DATABASE + " sync");
    }

    @Test
    void a_hostile_profile_changes_neither_writes_nor_reads() {
        server.restart(ClickHouseOptions.defaults()
                .withOperatorSetting("async_insert", 1)
                .withOperatorSetting("wait_for_async_insert", 0)
                .withOperatorSetting("async_insert_busy_timeout_min_ms", 60_000)
                .withOperatorSetting("async_insert_busy_timeout_max_ms", 60_000)
                .withOperatorSetting("insert_deduplicate", 1)
                .withOperatorSetting("optimize_on_insert", 1)
                .withOperatorSetting("max_partitions_per_insert_block", 1)
                .withOperatorSetting("input_format_allow_errors_num", 100)
                .withOperatorSetting("final", 1)
                .withOperatorSetting("do_not_merge_across_partitions_select_final", 1)
                .withOperatorSetting("additional_table_filters", "{'" + DATABASE + ".events':'is_deleted = 7'}")
                .withOperatorSetting("max_result_rows", 1)
                .withOperatorSetting("result_overflow_mode", "break")
                .withOperatorSetting("enable_http_compression", 1)
                .withOperatorSetting("max_execution_time", 0)
                .withOperatorSetting("timeout_overflow_mode", "break"));
        try (History history = open(ClickHouseOptions.OPERATOR, ClickHouseOptions.OPERATOR_PASSWORD)) {
            List<Event> events = Sample.events(project, 200);
            Event old = Sample.receivedAt(events.getFirst(), 1_000_000_000_000L);
            VerifiedSource source = source(history);

            assertThat(history.insert(source, events)).isEqualTo(new InsertResult.Acknowledged());
            assertThat(history.count(project)).isEqualTo(200);
            assertThat(history.insert(source, List.of(old, Sample.tombstone(events.get(1), 2))))
                    .isEqualTo(new InsertResult.Acknowledged());

            assertThat(history.count(project))
                    .as("a row of another month meets its like")
                    .isEqualTo(199);
            assertThat(history.page(Sample.firstPage(project, 1000))).hasSize(199);
            assertThat(history.find(events.get(2).identity())).contains(events.get(2));
        }
    }

    @Test
    void no_answer_of_a_moment_ago_is_given_again() {
        server.restart(ClickHouseOptions.defaults()
                .withOperatorSetting("use_query_cache", 1)
                .withOperatorSetting("query_cache_min_query_runs", 0)
                .withOperatorSetting("query_cache_nondeterministic_function_handling", "save")
                .withOperatorSetting("query_cache_system_table_handling", "save")
                .withOperatorSetting("query_cache_ttl", 600));
        try (History history = open(ClickHouseOptions.OPERATOR, ClickHouseOptions.OPERATOR_PASSWORD)) {
            VerifiedSource source = source(history);
            assertThat(history.count(project)).isZero();

            history.insert(source, Sample.events(project, 3));

            assertThat(history.count(project)).isEqualTo(3);
        }
    }

    @Test
    void a_server_out_of_memory_is_unknown_and_not_the_rows_fault() {
        server.restart(ClickHouseOptions.defaults().withOperatorSetting("max_memory_usage_for_user", 20_000_000));
        try (History history = open(ClickHouseOptions.OPERATOR, ClickHouseOptions.OPERATOR_PASSWORD)) {
            List<Event> events = Sample.events(project, 30).stream()
                    .map(event -> Sample.withProperties(event, "{\"t\":\"" + "m".repeat(900_000) + "\"}"))
                    .toList();

            assertThat(history.insert(source(history), events))
                    .isInstanceOfSatisfying(
                            InsertResult.Unknown.class,
                            unknown -> assertThat(unknown.reason()).contains("241"));
        }
    }

    @Test
    void a_wrong_password_is_named_and_never_repeated() {
        try (History history = open(ClickHouseOptions.OPERATOR, "wrong-pässword")) {
            assertThat(history.verify())
                    .isInstanceOfSatisfying(
                            Verification.Refused.class,
                            refused -> assertThat(refused.findings())
                                    .singleElement()
                                    .satisfies(finding -> {
                                        assertThat(finding.code()).isEqualTo("clickhouse_login_refused");
                                        assertThat(finding.detail()).doesNotContain("pässword");
                                    }));
            assertThat(history.insert(Sample.source(new UUID(1, 1)), Sample.events(project, 1)))
                    .isInstanceOf(InsertResult.Unknown.class);
            assertThat(catchThrowableOfType(HistoryReadException.class, () -> history.count(project))
                            .kind())
                    .isEqualTo(HistoryReadException.Kind.UNAVAILABLE);
        }
    }

    @Test
    void a_password_may_hold_any_character() {
        server.restart(
                ClickHouseOptions.defaults().withUser(ClickHouseUser.named("umlaut", "pä:ss wörd&%?\"'\uD83D\uDE00")));
        try (History history = open("umlaut", "pä:ss wörd&%?\"'\uD83D\uDE00")) {
            assertThat(history.insert(source(history), Sample.events(project, 1)))
                    .isEqualTo(new InsertResult.Acknowledged());
        }
    }

    @Test
    void a_user_who_may_not_create_the_table_is_told_so() {
        server.query("create database " + DATABASE);
        server.restart(ClickHouseOptions.defaults()
                .withUser(ClickHouseUser.named("reader", "reader")
                        .withGrant("SELECT ON system.*")
                        .withGrant("SHOW ROW POLICIES ON *.*")
                        .withGrant("SELECT, INSERT ON " + DATABASE + ".events")
                        .withGrant("SELECT, INSERT ON " + DATABASE + ".events_ledgers")));
        try (History history = open("reader", "reader")) {
            assertThat(history.verify())
                    .isInstanceOfSatisfying(
                            Verification.Refused.class,
                            refused -> assertThat(refused.findings())
                                    .extracting(Finding::code)
                                    .containsExactly("clickhouse_access_denied"));
        }
    }

    @Test
    void a_user_of_before_there_were_marks_is_told_what_it_may_not_do_with_them() {
        try (History history = open(ClickHouseOptions.OPERATOR, ClickHouseOptions.OPERATOR_PASSWORD)) {
            source(history);
        }
        server.query("drop table " + DATABASE + ".events_ledgers sync");
        server.restart(ClickHouseOptions.defaults().withUser(granted("narrow")));
        try (History history = open("narrow", "narrow")) {
            assertThat(history.verify()).isInstanceOfSatisfying(Verification.Refused.class, refused -> {
                assertThat(refused.findings()).extracting(Finding::code).containsExactly("clickhouse_access_denied");
                assertThat(refused.findings().getFirst().detail()).contains("events_ledgers");
            });
        }
    }

    @Test
    void the_documented_grants_suffice_once_the_table_exists() {
        try (History history = open(ClickHouseOptions.OPERATOR, ClickHouseOptions.OPERATOR_PASSWORD)) {
            source(history);
        }
        server.restart(ClickHouseOptions.defaults()
                .withUser(granted("narrow"))
                .withUser(granted("remover").withGrant("ALTER DELETE ON " + DATABASE + ".events")));
        try (History history = open("narrow", "narrow")) {
            assertThat(history.insert(source(history), Sample.events(project, 3)))
                    .isEqualTo(new InsertResult.Acknowledged());
            assertThat(history.count(project)).isEqualTo(3);
            assertThat(history.erasure().erase(source(history), project))
                    .isInstanceOfSatisfying(
                            EraseResult.Failed.class,
                            failed -> assertThat(failed.reason()).contains("GRANT ALTER DELETE ON"));
            assertThat(history.count(project)).isEqualTo(3);
        }
        try (History history = open("remover", "remover")) {
            assertThat(history.erasure().erase(source(history), project)).isEqualTo(new EraseResult.Empty());
        }
    }

    @Test
    void each_documented_grant_is_needed() throws IOException {
        try (History history = open(ClickHouseOptions.OPERATOR, ClickHouseOptions.OPERATOR_PASSWORD)) {
            source(history);
        }
        List<String> grants = documentedGrants();
        ClickHouseOptions options = ClickHouseOptions.defaults();
        for (int left = 0; left < grants.size(); left++) {
            ClickHouseUser user = ClickHouseUser.named("without" + left, "pw");
            for (int n = 0; n < grants.size(); n++) {
                user = n == left ? user : user.withGrant(grants.get(n));
            }
            options = options.withUser(user);
        }
        server.restart(options);
        for (int left = 0; left < grants.size(); left++) {
            try (History history = open("without" + left, "pw")) {
                assertThat(history.verify())
                        .as(grants.get(left))
                        .isInstanceOfSatisfying(
                                Verification.Refused.class,
                                refused -> assertThat(refused.findings())
                                        .extracting(Finding::code)
                                        .containsExactly("source_unauthorised"));
            }
        }
    }

    private static ClickHouseUser granted(String name) {
        ClickHouseUser user = ClickHouseUser.named(name, name);
        try {
            for (String grant : documentedGrants()) {
                user = user.withGrant(grant);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return user;
    }

    /** What the page for operators says, without the rights to create the table. */
    private static List<String> documentedGrants() throws IOException {
        return Files.readAllLines(Path.of("../docs/how-to/operator-grants.md")).stream()
                .filter(line -> line.startsWith("GRANT ") && !line.contains("CREATE") && !line.contains("ALTER"))
                .map(line -> line.substring("GRANT ".length(), line.indexOf(" TO ")))
                .toList();
    }

    @Test
    void a_read_only_user_acknowledges_nothing() {
        try (History history = open(ClickHouseOptions.OPERATOR, ClickHouseOptions.OPERATOR_PASSWORD)) {
            source(history);
        }
        server.restart(ClickHouseOptions.defaults().withOperatorSetting("readonly", 1));
        try (History history = open(ClickHouseOptions.OPERATOR, ClickHouseOptions.OPERATOR_PASSWORD)) {
            assertThat(history.insert(Sample.source(new UUID(1, 1)), Sample.events(project, 1)))
                    .isInstanceOf(InsertResult.Unknown.class);
        }
    }

    private static VerifiedSource source(History history) {
        Verification verification = history.verify();
        assertThat(verification).isInstanceOf(Verification.Verified.class);
        return ((Verification.Verified) verification).source();
    }

    private History open(String user, String password) {
        return Histories.clickHouse(
                new ClickHouseSettings(server.url(), DATABASE, "events", user, password, null, null, null),
                new SimpleMeterRegistry(),
                () -> Reliance.NONE,
                null,
                number -> true);
    }
}
