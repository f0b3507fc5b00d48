package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** kill -9 at any moment: what was acknowledged is there, once. */
class CrashIT {

    private static final int CLIENTS = 6;
    private static final int KILLS = 6;

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(HistoryKind.class)
    void killed_under_load_loses_and_repeats_nothing(HistoryKind history) throws Exception {
        long seed = Long.getLong("porcupine.test.seed", System.nanoTime());
        System.out.println("CrashIT seed " + seed + " (-Dporcupine.test.seed)");
        Random random = new Random(seed);
        try (PackagedService service = PackagedService.start(
                        folder.resolve("data"), history.settings().toArray(String[]::new));
                ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
            List<ResendingClient> clients = new ArrayList<>();
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                ResendingClient client = new ResendingClient(service.client(), service.token(), random.nextLong());
                clients.add(client);
                running.add(threads.submit(client));
            }
            for (int kill = 0; kill < KILLS; kill++) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100 + random.nextInt(1_500)));
                service.kill();
                service.restart();
            }
            clients.forEach(ResendingClient::stop);
            for (Future<?> client : running) {
                client.get(1, TimeUnit.MINUTES);
            }

            Set<UUID> acknowledged = new HashSet<>();
            clients.forEach(client -> acknowledged.addAll(client.acknowledged()));
            long accepted =
                    clients.stream().mapToLong(ResendingClient::accepted).sum();
            assertThat(accepted).as("seed %d: accepted in answers", seed).isLessThanOrEqualTo(acknowledged.size());
            assertThat(service.client().settledCount(1))
                    .as("seed %d: count", seed)
                    .isEqualTo(acknowledged.size());
            assertThat(service.client().uuids(1)).as("seed %d", seed).isEqualTo(acknowledged);
        }
    }
}
