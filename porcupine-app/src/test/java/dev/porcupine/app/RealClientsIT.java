package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** The SDKs that people use, unchanged, pointed at the packaged service. */
class RealClientsIT {

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(HistoryKind.class)
    void ten_thousand_events_of_posthog_node_sent_twice_are_ten_thousand(HistoryKind history) {
        try (PackagedService service = start(history)) {
            ServiceClient client = service.client();

            JsonNode first = NodeClient.run("posthog-node.mjs", client.base(), service.token(), 10_000, "a");
            assertThat(first.get("errors").asInt()).isZero();
            assertThat(client.settledCount(1)).isEqualTo(10_000);

            JsonNode second = NodeClient.run("posthog-node.mjs", client.base(), service.token(), 10_000, "a");
            assertThat(second.get("errors").asInt()).isZero();
            assertThat(client.settledCount(1)).isEqualTo(10_000);
            assertThat(client.uuids(1)).hasSize(10_000);
        }
    }

    @ParameterizedTest
    @EnumSource(HistoryKind.class)
    void posthog_js_in_a_page_of_another_origin_is_captured_once(HistoryKind history) {
        try (PackagedService service = start(history)) {
            ServiceClient client = service.client();
            for (int send = 0; send < 2; send++) {
                JsonNode sent = NodeClient.run("posthog-js.mjs", client.base(), service.token(), 50, "page");
                assertThat(sent.get("answers").propertyNames()).containsExactly("200");
            }
            assertThat(client.settledCount(1)).isEqualTo(50);
        }
    }

    @ParameterizedTest
    @EnumSource(HistoryKind.class)
    void every_event_of_posthog_server_arrives(HistoryKind history) {
        try (PackagedService service = start(history);
                PosthogServerClient posthog =
                        new PosthogServerClient(service.client().base(), service.token())) {
            ServiceClient client = service.client();
            posthog.capture(1_000);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(client.settledCount(1)).isEqualTo(1_000));
            assertThat(client.uuids(1)).hasSize(1_000);
        }
    }

    private PackagedService start(HistoryKind history) {
        List<String> settings = new ArrayList<>(history.settings());
        return PackagedService.start(folder.resolve("data"), settings.toArray(String[]::new));
    }
}
