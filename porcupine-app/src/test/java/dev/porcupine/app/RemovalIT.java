package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.SharedClickHouse;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A project leaves a running service that relies on a pinned ClickHouse, through a kill -9 in the middle. */
class RemovalIT {

    private static final int EACH = 50;
    private static final Duration DONE_WITHIN = Duration.ofMinutes(2);

    @TempDir
    Path folder;

    private final ClickHouseEndpoint clickHouse = SharedClickHouse.endpoint();
    private final String database = SharedClickHouse.freshDatabase();

    @Test
    void project_is_removed_through_a_kill_while_the_others_capture_and_history_stays_trusted() {
        String[] settings = Stream.concat(
                        HistoryKind.clickHouse(clickHouse, database).stream(),
                        Stream.of("--porcupine.hot-receipt-limit=10"))
                .toArray(String[]::new);
        try (PackagedService service = PackagedService.start(folder.resolve("data"), settings)) {
            ServiceClient client = service.client();
            String others = service.token();
            JsonNode created = client.send(adminRequest(service, "/api/v1/projects")
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString("{\"name\":\"shop\"}")))
                    .json();
            long id = created.get("id").asLong();
            String token = created.get("token").asString();
            List<UUID> kept = capture(client, others);
            List<UUID> gone = capture(client, token);
            assertThat(client.settledCount(id)).isEqualTo(EACH);
            assertThat(client.status().get("source").get("pinned").asBoolean()).isTrue();

            ServiceClient.Answer asked =
                    client.send(adminRequest(service, "/api/v1/projects/" + id).DELETE());
            assertThat(asked.status()).isEqualTo(202);
            service.kill();
            service.restart();

            assertThat(client.capture(token, List.of(gone.getFirst())).status()).isEqualTo(401);
            for (String path :
                    List.of("", "/events/count", "/events", "/quarantine", "/quarantine/export", "/tokens")) {
                assertThat(client.admin("/api/v1/projects/" + id + path).status())
                        .as(path)
                        .isEqualTo(404);
            }
            assertThat(client.admin("/api/v1/projects").body()).doesNotContain("shop");
            assertThat(client.send(adminRequest(service, "/api/v1/projects/" + id)
                                    .DELETE())
                            .status())
                    .isEqualTo(202);
            List<UUID> during = new ArrayList<>();
            Awaitility.await("the removal's end")
                    .atMost(DONE_WITHIN)
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> {
                        UUID fresh = UUID.randomUUID();
                        if (client.capture(others, List.of(fresh)).status() == 200) {
                            during.add(fresh);
                        }
                        if (!during.isEmpty()) {
                            assertThat(client.status().get("source").get("findings"))
                                    .isEmpty();
                        }
                        return progress(client, id).get("stage").asString().equals("done");
                    });

            assertThat(progress(client, id).get("removed").get("historyRows").asLong())
                    .isEqualTo(EACH);
            assertThat(clickHouse.query("select count() from " + database + ".events where project_id = " + id
                            + " settings apply_deleted_mask = 0"))
                    .isEqualTo("0");
            kept.addAll(during);
            assertThat(client.settledCount(1)).isEqualTo(kept.size());
            assertThat(client.uuids(1)).containsExactlyInAnyOrderElementsOf(kept);
            ServiceClient.Answer again = client.capture(others, kept);
            assertThat(again.json().get("duplicates").asLong()).isEqualTo(kept.size());
            assertThat(client.status().get("source").get("verified").asBoolean())
                    .isTrue();
            assertThat(client.status().get("source").get("warnings")).isEmpty();
            assertThat(client.capture(token, gone).status()).isEqualTo(401);
            assertThat(client.metric("porcupine_removal_pending", "")).isZero();
        }
    }

    private static List<UUID> capture(ServiceClient client, String token) {
        List<UUID> uuids =
                new ArrayList<>(Stream.generate(UUID::randomUUID).limit(EACH).toList());
        Awaitility.await("captured")
                .atMost(Duration.ofSeconds(60))
                .until(() -> client.capture(token, uuids).status() == 200);
        return uuids;
    }

    private static JsonNode progress(ServiceClient client, long id) {
        return client.admin("/api/v1/projects/" + id + "/removal").json();
    }

    private static HttpRequest.Builder adminRequest(PackagedService service, String path) {
        return service.client().request(path).header("Authorization", "Bearer " + service.adminToken());
    }
}
