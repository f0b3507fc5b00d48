package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.SharedClickHouse;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * A deployment that has run for years without a limit turns one on. {@code -Dporcupine.upgrade.receipts=300000} runs it in full size,
 * {@code -Dporcupine.seed=N} kills it at other moments.
 */
class UpgradeIT {

    private static final int RECEIPTS = Integer.getInteger("porcupine.upgrade.receipts", 24_000);
    private static final int MISSING = 5_000;
    private static final int PROJECTS = 40;
    private static final int LIMIT = 1_000;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final ClickHouseEndpoint server = SharedClickHouse.endpoint();
    private final String database = server.freshDatabase();

    @Test
    void ledger_of_years_converges_through_kills_and_forgets_nothing(@TempDir Path folder) {
        Path data = folder.resolve("data");
        String token = startOnce(data);
        writeOldReceipts(data);
        fillHistory(MISSING, RECEIPTS);
        Random random = new Random(Long.getLong("porcupine.seed", 7));
        try (PackagedService service = PackagedService.start(data, settings())) {
            for (int kill = 0; kill < 3; kill++) {
                awaitReceipts(service, RECEIPTS - (kill + 1) * (RECEIPTS - MISSING) / 5 + random.nextInt(200));
                service.kill();
                service.restart();
            }
            await(
                    service,
                    "blocked by what is missing",
                    report -> convergence(report).equals("blocked"));
            assertBlocked(service, token);

            fillHistory(0, MISSING);
            await(service, "converged by itself", report -> convergence(report).equals("converged"));
            await(
                    service,
                    "all proven",
                    report -> report.at("/receipts/unproven").asLong() == 0);
            assertThat(report(service).at("/receipts/hot").asLong()).isEqualTo(LIMIT);
            assertEveryOldEventOfTheFirstProjectIsADuplicate(service, token);
            assertThat(capture(service, token, RECEIPTS * 2, RECEIPTS * 2 + 5)).contains("\"accepted\":5");
        }
    }

    private void assertBlocked(PackagedService service, String token) {
        JsonNode report = report(service);
        assertThat(report.at("/receipts/hot").asLong()).isEqualTo(MISSING);
        assertThat(report.at("/receipts/unproven").asLong()).isEqualTo(MISSING);
        assertThat(report.at("/convergenceDetail/missing/1").asLong()).isEqualTo(MISSING / PROJECTS);
        assertThat(report.at("/admission/open").asBoolean()).isFalse();
        assertThat(capture(service, token, RECEIPTS * 2, RECEIPTS * 2 + 1)).contains("ledger_over_limit");
        assertThat(capture(service, token, 0, PROJECTS)).contains("\"duplicates\":1");
    }

    private void assertEveryOldEventOfTheFirstProjectIsADuplicate(PackagedService service, String token) {
        int batch = PROJECTS * 200;
        for (int from = 0; from < RECEIPTS; from += batch) {
            assertThat(capture(service, token, from, Math.min(RECEIPTS, from + batch)))
                    .contains("\"accepted\":0", "\"rejected\":0");
        }
    }

    /** The events of the first project in this range of numbers, or as many new ones as the range has numbers. */
    private static String capture(PackagedService service, String token, int from, int to) {
        int step = from < RECEIPTS ? PROJECTS : 1;
        String events = IntStream.range(from, to)
                .filter(n -> step == 1 || n % PROJECTS == 0)
                .mapToObj(n -> "{\"event\":\"e\",\"distinct_id\":\"d\",\"uuid\":\"0190f000-0000-7000-8000-%012x\"}"
                        .formatted(n))
                .collect(Collectors.joining(","));
        String body = "{\"api_key\":\"" + token + "\",\"batch\":[" + events + "]}";
        return service.client()
                .send(service.client()
                        .request("/batch")
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body)))
                .body();
    }

    /** The release before the limit: it makes the ledger and its first project. */
    private String startOnce(Path data) {
        try (PackagedService service = PackagedService.start(data, withLimit(0))) {
            String token = service.token();
            service.stop();
            return token;
        }
    }

    private static void writeOldReceipts(Path data) {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + data.resolve("ledger.db"));
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.executeUpdate("""
                    with recursive n(i) as (select 2 union all select i + 1 from n where i < %d)
                    insert into projects (name, created_at) select 'old ' || i, 0 from n
                    """.formatted(PROJECTS));
            statement.executeUpdate("""
                    with recursive n(i) as (select 0 union all select i + 1 from n where i < %d - 1)
                    insert into event_receipts (project_id, uuid, received_at)
                    select 1 + i %% %d, unhex('0190f00000007000' || '8000' || printf('%%012x', i)), 1700000000000 from n
                    """.formatted(RECEIPTS, PROJECTS));
            statement.executeUpdate(
                    "update ledger_state set receipts = %1$d, unproven_receipts = %1$d".formatted(RECEIPTS));
            connection.commit();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private void fillHistory(int from, int to) {
        server.query("""
                insert into %s.events (project_id, uuid, revision, is_deleted, event, distinct_id, timestamp_micros, received_at, properties)
                select 1 + number %% %d, toUUID(concat('0190f000-0000-7000-8000-', lower(leftPad(hex(number), 12, '0')))), 1, 0, 'e', 'd',
                    1700000000000000, toDateTime64('2023-11-14 22:13:20', 3, 'UTC'), '{}'
                from numbers(%d, %d)
                """.formatted(database, PROJECTS, from, to - from));
    }

    private String[] settings() {
        return withLimit(LIMIT);
    }

    private String[] withLimit(int limit) {
        return new String[] {
            "--porcupine.hot-receipt-limit=" + limit,
            "--porcupine.clickhouse.url=" + server.url(),
            "--porcupine.clickhouse.database=" + database,
            "--porcupine.clickhouse.username=" + server.user(),
            "--porcupine.clickhouse.password=" + server.password()
        };
    }

    private static void awaitReceipts(PackagedService service, long atMost) {
        await(
                service,
                "receipts at most " + atMost,
                report -> report.at("/receipts/hot").asLong() <= atMost);
    }

    private static void await(PackagedService service, String what, Predicate<JsonNode> condition) {
        Awaitility.await(what)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> condition.test(report(service)));
    }

    private static String convergence(JsonNode report) {
        return report.at("/convergence").asString();
    }

    private static JsonNode report(PackagedService service) {
        return ServiceClient.JSON.readTree(
                service.client().get("/actuator/porcupine").body());
    }
}
