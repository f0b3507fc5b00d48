package dev.porcupine.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClickHouseServerTest {

    private static final ClickHouseServer SERVER = ClickHouseServer.start();

    @AfterAll
    static void close() {
        SERVER.close();
    }

    @Test
    void a_started_server_answers_queries_as_its_operator() {
        assertThat(SERVER.query("select 1 + 1, currentUser()")).isEqualTo("2\tporcupine");
    }

    @Test
    void a_refused_query_carries_the_servers_code() {
        assertThatThrownBy(() -> SERVER.query("select nothing from nowhere"))
                .isInstanceOfSatisfying(
                        ClickHouseQueryException.class,
                        refused -> assertThat(refused.code()).isEqualTo(60));
    }

    @Test
    void a_killed_and_restarted_server_has_the_same_table_uuid_and_rows() {
        String database = tableWithRows();
        String uuid = SERVER.query("select uuid from system.tables where database = '" + database + "'");

        SERVER.kill();
        assertThatThrownBy(() -> SERVER.query("select 1")).isInstanceOf(ClickHouseQueryException.class);
        SERVER.restart();

        assertThat(SERVER.query("select uuid from system.tables where database = '" + database + "'"))
                .isEqualTo(uuid);
        assertThat(SERVER.query("select count() from " + database + ".t")).isEqualTo("1000");
    }

    @Test
    void a_suspended_server_hangs_until_it_is_resumed() {
        SERVER.suspend();
        try {
            assertThatThrownBy(() -> SERVER.endpoint().query("select 1", Duration.ofMillis(300)))
                    .isInstanceOf(ClickHouseQueryException.class)
                    .hasMessageContaining("Read timed out");
        } finally {
            SERVER.resume();
        }
        assertThat(SERVER.query("select 1")).isEqualTo("1");
    }

    @Test
    void a_second_server_on_the_same_folder_is_refused(@TempDir Path folder) {
        ClickHouseOptions options = ClickHouseOptions.defaults().withFolder(folder);
        try (ClickHouseServer first = ClickHouseServer.start(options)) {
            assertThatThrownBy(() -> ClickHouseServer.start(options))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(folder.getFileName() + " belongs to a ClickHouse");
            assertThat(first.query("select count() > 0 from system.tables")).isEqualTo("1");
        }
    }

    @Test
    void a_restarted_server_logs_queries_again() {
        SERVER.restart();
        SERVER.query("select 'before the restart'");
        SERVER.query("system flush logs");
        SERVER.restart();
        SERVER.query("select 'after the restart'");
        SERVER.query("system flush logs");

        assertThat(SERVER.query("""
                select count() from system.query_log
                where type = 'QueryFinish' and query = 'select \\'after the restart\\''
                """)).isEqualTo("1");
    }

    @Test
    void a_suspended_server_can_be_stopped_and_started_again() {
        String database = tableWithRows();
        SERVER.suspend();
        SERVER.stop();
        assertThat(SERVER.alive()).isFalse();
        SERVER.restart();

        assertThat(SERVER.query("select count() from " + database + ".t")).isEqualTo("1000");
    }

    @Test
    void a_server_named_by_the_environment_is_the_shared_one() {
        Map<String, String> environment = Map.of(
                "PORCUPINE_TEST_CLICKHOUSE_URL", SERVER.url().toString(),
                "PORCUPINE_TEST_CLICKHOUSE_USER", SERVER.user(),
                "PORCUPINE_TEST_CLICKHOUSE_PASSWORD", SERVER.password());

        ClickHouseEndpoint shared = SharedClickHouse.connect(environment);

        assertThat(shared.url()).isEqualTo(SERVER.url());
        String database = shared.freshDatabase();
        assertThat(SERVER.query("select count() from system.databases where name = '" + database + "'"))
                .isEqualTo("1");
        assertThat(shared.toString()).doesNotContain(SERVER.password());
    }

    @Test
    void a_named_server_that_does_not_answer_fails_the_test() {
        Map<String, String> environment =
                Map.of("PORCUPINE_TEST_CLICKHOUSE_URL", "http://127.0.0.1:" + FreePort.pick());

        assertThatThrownBy(() -> SharedClickHouse.connect(environment)).isInstanceOf(ClickHouseQueryException.class);
    }

    private static String tableWithRows() {
        String database = SERVER.freshDatabase();
        SERVER.query("create table " + database + ".t (n UInt64) engine = MergeTree order by n");
        SERVER.query("insert into " + database + ".t select number from numbers(1000)");
        return database;
    }
}
