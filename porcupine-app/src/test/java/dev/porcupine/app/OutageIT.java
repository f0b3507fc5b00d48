package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.testkit.ClickHouseServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ClickHouse away for a while: the queue takes what it may, refuses the rest clearly, and all of it arrives in the end. */
class OutageIT {

    private static final int QUEUE_EVENTS_MAX = 2_000;
    private static final int BATCH = 100;

    @TempDir
    Path folder;

    @Test
    void with_clickhouse_stopped_capture_goes_on_until_the_queue_is_full_and_all_is_delivered_later() {
        outage(ClickHouseServer::kill, ClickHouseServer::restart);
    }

    @Test
    void with_clickhouse_hung_capture_goes_on_until_the_queue_is_full_and_all_is_delivered_later() {
        outage(ClickHouseServer::suspend, ClickHouseServer::resume);
    }

    private void outage(Consumer<ClickHouseServer> begin, Consumer<ClickHouseServer> end) {
        try (ClickHouseServer clickHouse = ClickHouseServer.start()) {
            List<String> settings =
                    new ArrayList<>(HistoryKind.clickHouse(clickHouse.endpoint(), clickHouse.freshDatabase()));
            settings.add("--porcupine.queue.max-events=" + QUEUE_EVENTS_MAX);
            try (PackagedService service =
                    PackagedService.start(folder.resolve("data"), settings.toArray(String[]::new))) {
                ServiceClient client = service.client();
                String token = service.token();
                List<UUID> before = uuids(BATCH);
                assertThat(client.capture(token, before).status()).isEqualTo(200);
                assertThat(client.settledCount(1)).isEqualTo(BATCH);

                begin.accept(clickHouse);
                List<List<UUID>> taken = new ArrayList<>();
                ServiceClient.Answer refusal = null;
                List<UUID> refused = List.of();
                while (refusal == null) {
                    List<UUID> batch = uuids(BATCH);
                    ServiceClient.Answer answer = client.capture(token, batch);
                    if (answer.status() == 200) {
                        taken.add(batch);
                    } else {
                        refusal = answer;
                        refused = batch;
                    }
                    assertThat(taken).hasSizeLessThanOrEqualTo(QUEUE_EVENTS_MAX / BATCH);
                }
                assertThat(taken).hasSize(QUEUE_EVENTS_MAX / BATCH);
                assertThat(refusal.status()).isEqualTo(503);
                assertThat(refusal.contentType()).startsWith("application/problem+json");
                assertThat(Integer.parseInt(refusal.retryAfter())).isPositive();
                assertThat(refusal.json().get("code").asString()).isEqualTo("queue_full");
                assertThat(refusal.json().get("retryable").asBoolean()).isTrue();
                assertThat(client.get("/actuator/health/admission").status()).isEqualTo(503);
                assertThat(client.get("/actuator/health/readiness").status()).isEqualTo(200);
                assertThat(client.capture(token, before).status())
                        .as("duplicates during the outage")
                        .isEqualTo(200);
                Awaitility.await("the outage to be noticed")
                        .atMost(Duration.ofSeconds(60))
                        .until(() ->
                                !client.status().get("source").get("verified").asBoolean());

                end.accept(clickHouse);
                assertThat(client.settledCount(1)).isEqualTo(BATCH + QUEUE_EVENTS_MAX);
                assertThat(client.capture(token, refused).json().get("accepted").asInt())
                        .isEqualTo(BATCH);
                for (List<UUID> batch : taken) {
                    assertThat(client.capture(token, batch)
                                    .json()
                                    .get("duplicates")
                                    .asInt())
                            .isEqualTo(BATCH);
                }
                assertThat(client.settledCount(1)).isEqualTo(BATCH + QUEUE_EVENTS_MAX + BATCH);
            }
        }
    }

    private static List<UUID> uuids(int count) {
        return Stream.generate(UUID::randomUUID).limit(count).toList();
    }
}
