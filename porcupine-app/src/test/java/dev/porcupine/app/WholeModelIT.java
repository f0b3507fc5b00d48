package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random captures, resends, changes, deletions, evictions, removals of projects and kills against the packaged service, each answer compared with
 * a plain model, and at the end every event of every project. {@code -Dporcupine.test.seed=} repeats a run, {@code -Dporcupine.test.whole-model-steps=}
 * makes it longer.
 */
class WholeModelIT {

    private static final int STEPS = Integer.getInteger("porcupine.test.whole-model-steps", 160);
    private static final int LIMIT = 20;

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(HistoryKind.class)
    void every_answer_and_every_event_is_as_in_a_plain_model(HistoryKind kind) throws SQLException {
        long seed = Long.getLong("porcupine.test.seed", System.nanoTime());
        System.out.println("WholeModelIT seed " + seed + " (-Dporcupine.test.seed)");
        List<String> settings = new ArrayList<>(kind.settings());
        if (kind == HistoryKind.CLICKHOUSE) {
            settings.add("--porcupine.hot-receipt-limit=" + LIMIT);
        }
        Path data = folder.resolve("data");
        Random random = new Random(seed);
        List<Long> removed = new ArrayList<>();
        try (PackagedService service = PackagedService.start(data, settings.toArray(String[]::new))) {
            WholeModel model = new WholeModel(service, random);
            for (int step = 0; step < STEPS; step++) {
                if (step == STEPS / 4 || step == STEPS / 2) {
                    removed.add(model.removeProject());
                    service.kill();
                    service.restart();
                } else {
                    model.step();
                }
            }
            model.assertSame();
            removed.forEach(model::awaitRemoved);
            model.assertSame();
            System.out.println(model.told());
        }
        assertNothingLeftOf(removed, data);
    }

    private static void assertNothingLeftOf(List<Long> projects, Path data) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + data.resolve("ledger.db"));
                Statement statement = connection.createStatement()) {
            for (String table :
                    List.of("event_queue", "event_quarantine", "event_receipts", "mutation_heads", "project_tokens")) {
                for (long project : projects) {
                    try (ResultSet rows = statement.executeQuery(
                            "select count(*) from " + table + " where project_id = " + project)) {
                        assertThat(rows.next()).isTrue();
                        assertThat(rows.getLong(1))
                                .as("%s of project %d", table, project)
                                .isZero();
                    }
                }
            }
        }
    }
}
