package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.testkit.ClickHouseOptions;
import dev.porcupine.testkit.ClickHouseServer;
import dev.porcupine.testkit.ClickHouseUser;
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
            assertThat(history.insert(new VerifiedSource(new UUID(1, 1)), Sample.events(project, 1)))
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
                .withUser(ClickHouseUser.named("reader", "reader").withGrant("SELECT ON system.*")));
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
    void a_user_with_rights_to_the_table_alone_suffices_once_it_exists() {
        try (History history = open(ClickHouseOptions.OPERATOR, ClickHouseOptions.OPERATOR_PASSWORD)) {
            source(history);
        }
        server.restart(ClickHouseOptions.defaults()
                .withUser(ClickHouseUser.named("narrow", "narrow")
                        .withGrant("SELECT, INSERT ON " + DATABASE + ".events")));
        try (History history = open("narrow", "narrow")) {
            assertThat(history.insert(source(history), Sample.events(project, 3)))
                    .isEqualTo(new InsertResult.Acknowledged());
            assertThat(history.count(project)).isEqualTo(3);
        }
    }

    @Test
    void a_read_only_user_acknowledges_nothing() {
        try (History history = open(ClickHouseOptions.OPERATOR, ClickHouseOptions.OPERATOR_PASSWORD)) {
            source(history);
        }
        server.restart(ClickHouseOptions.defaults().withOperatorSetting("readonly", 1));
        try (History history = open(ClickHouseOptions.OPERATOR, ClickHouseOptions.OPERATOR_PASSWORD)) {
            assertThat(history.insert(new VerifiedSource(new UUID(1, 1)), Sample.events(project, 1)))
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
                new ClickHouseSettings(server.url(), DATABASE, "events", user, password, null, null, null));
    }
}
