package dev.porcupine.ingest;

import dev.porcupine.history.ClickHouseSettings;
import dev.porcupine.history.Histories;
import dev.porcupine.history.History;
import dev.porcupine.ingest.FiniteLedgerModel.Stores;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.SharedClickHouse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random schedules against a plain model. {@code -Dporcupine.model.seed=S} begins at another seed, {@code -Dporcupine.model.schedules=N} runs
 * more; a failure names its seed and prints the schedule.
 */
class FiniteLedgerModelTest {

    private static final long SEED = Long.getLong("porcupine.model.seed", 20_261_201L);
    private static final int SCHEDULES = Integer.getInteger("porcupine.model.schedules", 2_000);
    private static final int ON_CLICKHOUSE = Math.max(40, SCHEDULES / 50);
    private static final int OPERATIONS = 60;

    /** Opening a ledger costs more than a schedule; each group begins before its ledger's first eviction. */
    private static final int SCHEDULES_OF_A_LEDGER = 20;

    @Test
    void random_schedules_accept_every_identity_once(@TempDir(factory = MemoryTempDir.class) Path dir) {
        // As many groups at once as there are cores: a schedule is one thread's work, handed from batch to batch.
        groups(SCHEDULES, SEED)
                .parallel()
                .forEach(group -> runGroup(group, dir.resolve("g" + group), Histories::embedded));
    }

    @Test
    void random_schedules_on_clickhouse_accept_every_identity_once(@TempDir(factory = MemoryTempDir.class) Path dir) {
        ClickHouseEndpoint server = SharedClickHouse.endpoint();
        // One group at a time: the server has the cores, and its reads their deadlines.
        groups(ON_CLICKHOUSE, SEED + 1_000_000)
                .forEach(group -> runGroup(
                        group,
                        dir.resolve("g" + group),
                        ignored -> Histories.clickHouse(
                                new ClickHouseSettings(
                                        server.url(),
                                        SharedClickHouse.freshDatabase(),
                                        "events",
                                        server.user(),
                                        server.password(),
                                        null,
                                        null,
                                        null),
                                new SimpleMeterRegistry())));
    }

    /** The first seed of each group. */
    private static LongStream groups(int schedules, long firstSeed) {
        return LongStream.range(0, Math.ceilDiv(schedules, SCHEDULES_OF_A_LEDGER))
                .map(number -> firstSeed + number * SCHEDULES_OF_A_LEDGER);
    }

    private static void runGroup(long group, Path own, Function<Path, History> history) {
        try (Stores stores = new Stores(own, history.apply(own), 1 + group % 6)) {
            for (long seed = group; seed < group + SCHEDULES_OF_A_LEDGER; seed++) {
                try {
                    new FiniteLedgerModel(seed, stores).run(OPERATIONS);
                } catch (AssertionError e) {
                    throw new AssertionError("seed " + seed + " of the group from " + group, e);
                }
            }
        }
        TempFiles.delete(own);
    }
}
