package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.SharedClickHouse;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
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
    /** Numbers from here on name events that nobody has seen. */
    private static final int NEW = 10_000_000;

    private static final Path FIRST_RELEASE =
            Path.of("..", "porcupine-ledger", "src", "test", "resources", "ledger-v1.db");
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final ClickHouseEndpoint server = SharedClickHouse.endpoint();
    private final String database = server.freshDatabase();

    @Test
    void ledger_of_years_converges_through_kills_and_forgets_nothing(@TempDir Path folder) throws Exception {
        Path data = folder.resolve("data");
        writeOldLedger(data);
        try (PackagedService unlimited = PackagedService.start(data, withLimit(0))) {
            await(
                    unlimited,
                    "the table",
                    report -> report.at("/source/verified").asBoolean());
        }
        fillHistory(MISSING, RECEIPTS);
        Random random = new Random(Long.getLong("porcupine.seed", 7));
        try (PackagedService service = PackagedService.start(data, withLimit(LIMIT))) {
            for (int kill = 0; kill < 3; kill++) {
                awaitReceipts(service, RECEIPTS - (kill + 1) * (RECEIPTS - MISSING) / 5 + random.nextInt(200));
                service.kill();
                service.restart();
            }
            await(
                    service,
                    "blocked by what is missing",
                    report -> convergence(report).equals("blocked"));
            assertBlocked(service);
        }
        assertOpenAtOnceWith(data, MISSING + LIMIT, NEW);
        assertOpenAtOnceWith(data, 0, NEW + 10);
        try (PackagedService service = PackagedService.start(data, withLimit(LIMIT))) {
            await(service, "blocked again", report -> convergence(report).equals("blocked"));
            fillHistory(0, MISSING);
            assertConverges(service, LIMIT);
        }
        try (PackagedService service = PackagedService.start(data, withLimit(10))) {
            assertConverges(service, 10);
            assertEveryOldEventIsADuplicate(service);
            assertThat(capture(service, 0, IntStream.range(NEW, NEW + 20))).contains("\"accepted\":10");
        }
    }

    private void assertBlocked(PackagedService service) {
        JsonNode report = report(service);
        assertThat(report.at("/receipts/hot").asLong()).isEqualTo(MISSING);
        assertThat(report.at("/receipts/unproven").asLong()).isEqualTo(MISSING);
        assertThat(report.at("/convergenceDetail/missing/1").asLong()).isEqualTo(MISSING / PROJECTS);
        assertThat(report.at("/admission/open").asBoolean()).isFalse();
        assertThat(capture(service, 0, IntStream.of(NEW))).contains("ledger_over_limit");
        assertThat(capture(service, 0, IntStream.of(0))).contains("\"duplicates\":1");
    }

    /** A limit that the stuck receipts fit under, or none at all, needs no convergence. */
    private void assertOpenAtOnceWith(Path data, int limit, int fresh) {
        try (PackagedService service = PackagedService.start(data, withLimit(limit))) {
            await(
                    service,
                    "admission with limit " + limit,
                    report -> report.at("/admission/open").asBoolean());
            assertThat(capture(service, 0, IntStream.range(fresh, fresh + 5))).contains("\"accepted\":5");
            assertThat(service.client().settledCount(1)).isPositive();
        }
    }

    private static void assertConverges(PackagedService service, int limit) {
        await(
                service,
                "converged to " + limit,
                report -> convergence(report).equals("converged")
                        && report.at("/receipts/hot").asLong() <= limit
                        && report.at("/receipts/unproven").asLong() == 0);
    }

    private static void assertEveryOldEventIsADuplicate(PackagedService service) {
        for (int project = 0; project < PROJECTS; project++) {
            for (int from = project; from < RECEIPTS; from += PROJECTS * 1_000) {
                int to = Math.min(RECEIPTS, from + PROJECTS * 1_000);
                int first = from;
                IntStream numbers = IntStream.range(from, to).filter(n -> (n - first) % PROJECTS == 0);
                int events = (to - from + PROJECTS - 1) / PROJECTS;
                assertThat(capture(service, project, numbers))
                        .contains("\"accepted\":0", "\"duplicates\":" + events, "\"rejected\":0");
            }
        }
    }

    private static String capture(PackagedService service, int project, IntStream numbers) {
        String events = numbers.mapToObj(
                        n -> "{\"event\":\"e\",\"distinct_id\":\"d\",\"uuid\":\"0190f000-0000-7000-8000-%012x\"}"
                                .formatted(n))
                .collect(Collectors.joining(","));
        String body = "{\"api_key\":\"" + token(project) + "\",\"batch\":[" + events + "]}";
        return service.client()
                .send(service.client()
                        .request("/batch")
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body)))
                .body();
    }

    private static String token(int project) {
        return "phc_of_a_project_of_years_" + project;
    }

    /** The first release's file, as it left it, with the projects and receipts of a deployment that ran for years. */
    private static void writeOldLedger(Path data) throws Exception {
        Files.createDirectories(data);
        Path file = data.resolve("ledger.db");
        Files.copy(FIRST_RELEASE, file);
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (String table : List.of(
                    "event_queue",
                    "event_quarantine",
                    "event_receipts",
                    "mutation_heads",
                    "project_tokens",
                    "projects",
                    "sqlite_sequence")) {
                statement.executeUpdate("delete from " + table);
            }
            statement.executeUpdate("""
                    with recursive n(i) as (select 1 union all select i + 1 from n where i < %d)
                    insert into projects (name, created_at) select 'old ' || i, 0 from n
                    """.formatted(PROJECTS));
            try (PreparedStatement token = connection.prepareStatement(
                    "insert into project_tokens (project_id, secret_hash, hint, created_at) values (?, ?, 'phc_', 0)")) {
                for (int project = 0; project < PROJECTS; project++) {
                    token.setLong(1, project + 1);
                    token.setBytes(
                            2,
                            MessageDigest.getInstance("SHA-256")
                                    .digest(token(project).getBytes(StandardCharsets.UTF_8)));
                    token.executeUpdate();
                }
            }
            statement.executeUpdate("""
                    with recursive n(i) as (select 0 union all select i + 1 from n where i < %d - 1)
                    insert into event_receipts (project_id, uuid, received_at)
                    select 1 + i %% %d, unhex('0190f00000007000' || '8000' || printf('%%012x', i)), 1700000000000 from n
                    """.formatted(RECEIPTS, PROJECTS));
            connection.commit();
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
