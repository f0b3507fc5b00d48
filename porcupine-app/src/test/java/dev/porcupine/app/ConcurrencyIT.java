package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Copies of the same events in flight at once. */
class ConcurrencyIT {

    private static final int CLIENTS = 20;
    private static final int EVENTS = 1_000;
    private static final int BATCH = 50;

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(HistoryKind.class)
    void twenty_clients_with_the_same_events_store_each_once_and_all_get_200(HistoryKind history) throws Exception {
        List<UUID> uuids = Stream.generate(UUID::randomUUID).limit(EVENTS).toList();
        try (PackagedService service = PackagedService.start(
                        folder.resolve("data"), history.settings().toArray(String[]::new));
                ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
            ServiceClient client = service.client();
            String token = service.token();
            CountDownLatch together = new CountDownLatch(CLIENTS);
            List<Future<Long>> accepted = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                accepted.add(threads.submit(() -> {
                    together.countDown();
                    together.await();
                    return sendAll(client, token, uuids);
                }));
            }
            long sum = 0;
            for (Future<Long> future : accepted) {
                sum += future.get();
            }
            assertThat(sum).isEqualTo(EVENTS);
            assertThat(client.settledCount(1)).isEqualTo(EVENTS);
            assertThat(client.uuids(1)).containsExactlyInAnyOrderElementsOf(uuids);
        }
    }

    private static long sendAll(ServiceClient client, String token, List<UUID> uuids) {
        long accepted = 0;
        for (int from = 0; from < uuids.size(); from += BATCH) {
            ServiceClient.Answer answer = client.capture(token, uuids.subList(from, from + BATCH));
            assertThat(answer.status()).isEqualTo(200);
            accepted += answer.json().get("accepted").asLong();
            assertThat(answer.json().get("accepted").asLong()
                            + answer.json().get("duplicates").asLong())
                    .isEqualTo(BATCH);
        }
        return accepted;
    }
}
