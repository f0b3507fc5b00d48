package dev.porcupine.ingest;

import dev.porcupine.history.ClickHouseSettings;
import dev.porcupine.history.Histories;
import dev.porcupine.history.History;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.SharedClickHouse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random schedules of mutations. {@code -Dporcupine.mutation.seed=S} begins at another seed, {@code -Dporcupine.mutation.schedules=N} runs
 * more; a failure names its seed and prints the schedule.
 */
class MutationModelTest {

    private static final long SEED = Long.getLong("porcupine.mutation.seed", 20_261_201L);
    private static final int SCHEDULES = Integer.getInteger("porcupine.mutation.schedules", 60);
    private static final int OPERATIONS = 50;
    private static final int SCHEDULES_OF_A_LEDGER = 10;

    @Test
    void random_schedules_keep_every_revision(@TempDir(factory = MemoryTempDir.class) Path dir) {
        groups(SCHEDULES, SEED)
                .parallel()
                .forEach(group -> runGroup(group, dir.resolve("g" + group), Histories::embedded));
    }

    @Test
    void random_schedules_on_clickhouse_keep_every_revision(@TempDir(factory = MemoryTempDir.class) Path dir) {
        ClickHouseEndpoint server = SharedClickHouse.endpoint();
        groups(Math.max(SCHEDULES_OF_A_LEDGER, SCHEDULES / 20), SEED + 1_000_000)
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

    private static LongStream groups(int schedules, long firstSeed) {
        return LongStream.range(0, Math.ceilDiv(schedules, SCHEDULES_OF_A_LEDGER))
                .map(number -> firstSeed + number * SCHEDULES_OF_A_LEDGER);
    }

    private static void runGroup(long group, Path own, Function<Path, History> history) {
        try (ProofRig rig = new ProofRig(own, history.apply(own), 1 + group % 4)) {
            for (long seed = group; seed < group + SCHEDULES_OF_A_LEDGER; seed++) {
                try {
                    new MutationModel(seed, rig).run(OPERATIONS);
                } catch (AssertionError e) {
                    throw new AssertionError("seed " + seed + " of the group from " + group, e);
                }
            }
        }
        TempFiles.delete(own);
    }
}
