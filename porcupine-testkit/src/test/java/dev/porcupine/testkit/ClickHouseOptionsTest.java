package dev.porcupine.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClickHouseOptionsTest {

    @Test
    void users_have_the_settings_grants_and_row_filters_that_the_options_say() {
        ClickHouseUser reader = ClickHouseUser.named("reader", "read&<only>")
                .withSetting("final", 1)
                .withGrant("SELECT ON db.*")
                .withRowFilter("db", "t", "n < 3");
        ClickHouseOptions options = ClickHouseOptions.defaults()
                .withOperatorSetting("max_result_rows", 77)
                .withUser(reader);
        try (ClickHouseServer server = ClickHouseServer.start(options)) {
            server.query("create database db");
            server.query("create table db.t (n UInt64) engine = MergeTree order by n");
            server.query("insert into db.t select number from numbers(10)");

            assertThat(server.query("select getSetting('max_result_rows')")).isEqualTo("77");
            ClickHouseEndpoint asReader = server.endpoint().as("reader", "read&<only>");
            assertThat(asReader.query("select getSetting('final')")).isEqualTo("true");
            assertThat(asReader.query("select count() from db.t")).isEqualTo("3");
            assertThatThrownBy(() -> asReader.query("insert into db.t values (1)"))
                    .isInstanceOfSatisfying(
                            ClickHouseQueryException.class,
                            denied -> assertThat(denied.code()).isEqualTo(497));

            server.restart(options.withUser(ClickHouseUser.named("late", "comer")));
            assertThat(server.endpoint().as("late", "comer").query("select currentUser()"))
                    .isEqualTo("late");
        }
    }

    @Test
    void a_named_folder_keeps_its_data_and_gets_other_settings_on_restart(@TempDir Path folder) {
        ClickHouseOptions options = ClickHouseOptions.defaults().withFolder(folder);
        try (ClickHouseServer first = ClickHouseServer.start(options)) {
            first.query("create table default.kept (n UInt64) engine = MergeTree order by n");
            first.query("insert into default.kept values (1)");
            first.restart(options.withOperatorSetting("final", 1));
            assertThat(first.query("select getSetting('final')")).isEqualTo("true");
        }
        try (ClickHouseServer second = ClickHouseServer.start(options)) {
            assertThat(second.query("select count() from default.kept")).isEqualTo("1");
        }
    }

    @Test
    void old_rows_move_to_the_cold_volume_and_stay_readable_after_a_restart() {
        try (ClickHouseServer server = ClickHouseServer.start()) {
            server.query("""
                    create table default.aging (n UInt64, at DateTime) engine = MergeTree order by n partition by n
                    ttl at + interval 1 day to volume 'cold'
                    settings storage_policy = 'hot_and_cold'
                    """);
            server.query("insert into default.aging values (1, now() - interval 2 day)");
            server.query("insert into default.aging values (2, now())");

            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(server.query("""
                            select partition, disk_name from system.parts
                            where database = 'default' and table = 'aging' and active order by partition
                            """)).isEqualTo("1\tcold_files\n2\tdefault"));
            server.kill();
            server.restart();
            assertThat(server.query("select sum(n) from default.aging")).isEqualTo("3");
        }
    }
}
