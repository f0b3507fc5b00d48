package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.SharedClickHouse;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starting and stopping. */
class ProcessIT {

    @TempDir
    Path folder;

    @Test
    void the_printed_curl_line_is_only_printed_on_the_first_start() {
        try (PackagedService service = PackagedService.start(folder.resolve("data"))) {
            assertThat(service.output()).contains("Try: curl -sS http://127.0.0.1:" + service.port() + "/capture/");
            service.stop();
            service.restart();
            assertThat(service.output().split("Try: curl", -1)).hasSize(2);
            assertThat(service.output()).contains("/api/v1/projects/1/tokens").doesNotContain(service.adminToken());
        }
    }

    @Test
    void a_second_process_on_the_same_data_directory_is_refused() {
        Path data = folder.resolve("data");
        try (PackagedService service = PackagedService.start(data)) {
            PackagedService.Ended second = PackagedService.runToEnd(data);
            assertThat(second.exitCode()).isEqualTo(1);
            assertThat(second.output()).contains("APPLICATION FAILED TO START").doesNotContain("\tat dev.porcupine");
            List<UUID> uuids = uuids(10);
            assertThat(service.client().capture(service.token(), uuids).status())
                    .isEqualTo(200);
            assertThat(service.client().settledCount(1)).isEqualTo(10);
        }
    }

    @Test
    void sigterm_delivers_what_is_queued_before_the_process_ends() {
        ClickHouseEndpoint clickHouse = SharedClickHouse.endpoint();
        String database = clickHouse.freshDatabase();
        try (PackagedService service = PackagedService.start(
                folder.resolve("data"),
                HistoryKind.clickHouse(clickHouse, database).toArray(String[]::new))) {
            ServiceClient client = service.client();
            for (int batch = 0; batch < 50; batch++) {
                assertThat(client.capture(service.token(), uuids(100)).status()).isEqualTo(200);
            }
            assertThat(service.stop()).as("exit code of SIGTERM").isEqualTo(143);
            assertThat(clickHouse.query("select count() from " + database + ".events"))
                    .isEqualTo("5000");
        }
    }

    @Test
    void a_positive_receipt_limit_without_clickhouse_stops_start_up_and_says_what_to_do() {
        PackagedService.Ended ended =
                PackagedService.runToEnd(folder.resolve("data"), "--porcupine.hot-receipt-limit=1000");
        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.output())
                .contains("porcupine.hot-receipt-limit is 1000", "Action:", "Set porcupine.clickhouse.url")
                .doesNotContain("\tat dev.porcupine");
        assertThat(folder.resolve("data")).doesNotExist();
    }

    private static List<UUID> uuids(int count) {
        return Stream.generate(UUID::randomUUID).limit(count).toList();
    }
}
