package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.ledger.AbsenceProof;
import dev.porcupine.ledger.AcceptResult;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LookupLease;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import tools.jackson.databind.JsonNode;

/** The whole service in this process, with a limit of three receipts, pinned to a ClickHouse and with some receipts evicted. */
final class FiniteService implements AutoCloseable {

    private static final int LIMIT = 3;
    private static final Duration SEEN_WITHIN = Duration.ofSeconds(40);

    private final Path data;
    private final URI url;
    private final String database;
    private final List<UUID> delivered = new ArrayList<>();
    private final List<UUID> queued = new ArrayList<>();
    private String token = "";
    private ProjectId project = new ProjectId(1);
    private @Nullable ServletWebServerApplicationContext context;

    private FiniteService(Path data, URI url, String database) {
        this.data = data;
        this.url = url;
        this.database = database;
    }

    static FiniteService start(Path data, URI url, String database) {
        FiniteService service = new FiniteService(data, url, database);
        service.startAgain();
        var created = service.ledger().projects().create("states");
        service.token = created.token().secret();
        service.project = created.project().id();
        return service;
    }

    /**
     * @param settings that differ this time; {@code EMBEDDED} leaves ClickHouse out
     */
    void startAgain(String... settings) {
        List<String> all = new ArrayList<>(List.of(
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--porcupine.data-dir=" + data,
                "--porcupine.admin-token=t" + "0123456789abcdef0123456789abcdef"));
        if (!Arrays.asList(settings).contains("EMBEDDED")) {
            all.addAll(List.of(
                    "--porcupine.hot-receipt-limit=" + LIMIT,
                    "--porcupine.clickhouse.url=" + url,
                    "--porcupine.clickhouse.database=" + database,
                    "--porcupine.clickhouse.storage-policy=hot_and_cold",
                    "--porcupine.clickhouse.username=porcupine",
                    "--porcupine.clickhouse.password=porcupine-test"));
            for (String setting : settings) {
                String name = setting.substring(0, setting.indexOf('='));
                all.removeIf(other -> other.startsWith(name + "="));
                all.add(setting.replace("${db}", database)
                        .replace("${URL}", "HTTP://127.0.0.1:" + url.getPort())
                        .replace("${localhost}", "http://localhost:" + url.getPort()));
            }
        }
        context = (ServletWebServerApplicationContext)
                new SpringApplicationBuilder(PorcupineApplication.class).run(all.toArray(String[]::new));
    }

    void stop() {
        if (context != null) {
            context.close();
            context = null;
        }
    }

    @Override
    public void close() {
        stop();
    }

    /** Five events delivered and settled: three receipts stay. */
    void evictSomething() {
        for (int n = 0; n < 5; n++) {
            UUID uuid = UUID.randomUUID();
            assertThat(client().capture(token, List.of(uuid)).status()).isEqualTo(200);
            delivered.add(uuid);
            Awaitility.await().atMost(SEEN_WITHIN).until(() -> ledger().status().queueEvents() == 0);
        }
        assertThat(ledger().status().evictedReceipts()).isEqualTo(2);
        assertThat(ledger().pin().pinned()).isPresent();
    }

    /** Puts an event into the queue as an earlier batch would have, whatever state history is in now. */
    private void queueOne() {
        EventUuid uuid = EventUuid.of(UUID.randomUUID());
        try (LookupLease lease =
                ledger().localRecord().lease(project, Set.of(uuid)).orElseThrow()) {
            Event event = Event.original(
                    new EventIdentity(project, uuid),
                    "e",
                    "u",
                    1_796_000_000_000_000L,
                    1_796_000_000_000L,
                    "{}".getBytes(StandardCharsets.UTF_8));
            assertThat(ledger().acceptance()
                            .accept(List.of(event), new AbsenceProof.HistoryAsked(lease, Set.of(uuid)), SEEN_WITHIN))
                    .isInstanceOf(AcceptResult.Committed.class);
        }
        queued.add(uuid.toUuid());
    }

    void assertRefuses(String finding) {
        // Before anybody has noticed, too.
        ServiceClient.Answer early = client().capture(token, List.of(delivered.getFirst()));
        assertThat(early.status() == 503 || early.json().get("duplicates").asLong() == 1)
                .as("%s", early)
                .isTrue();
        Awaitility.await("finding " + finding)
                .atMost(SEEN_WITHIN)
                .untilAsserted(() -> assertThat(codes("findings")).contains(finding));
        queueOne();
        long queueBefore = ledger().status().queueEvents();
        long evictedBefore = ledger().status().evictedReceipts();
        double stallsBefore = stalls();
        Awaitility.await("a delivery that stalls").atMost(SEEN_WITHIN).until(() -> stalls() > stallsBefore);
        assertNothingUnknownIsAccepted();
        JsonNode status = client().status();
        assertThat(status.get("source").get("verified").asBoolean()).isFalse();
        assertThat(status.get("source").get("pinned").asBoolean()).isTrue();
        assertThat(status.get("admission").get("open").asBoolean()).isFalse();
        assertThat(status.get("admission").toString()).contains(finding);
        assertThat(client().get("/actuator/health/admission").body()).contains(finding);
        assertThat(client().get("/actuator/health").body()).contains(finding);
        assertThat(client().get("/actuator/health/readiness").status()).isEqualTo(200);
        assertThat(ledger().status().queueEvents()).isEqualTo(queueBefore).isPositive();
        assertThat(ledger().status().evictedReceipts()).isEqualTo(evictedBefore);
        assertThat(ledger().status().receipts()).isLessThanOrEqualTo(LIMIT);
    }

    private void assertNothingUnknownIsAccepted() {
        assertThat(client().capture(token, List.of(UUID.randomUUID())).status()).isEqualTo(503);
        assertThat(client().capture(token, List.of(delivered.getFirst())).status())
                .isEqualTo(503);
        UUID local = Stream.concat(queued.stream(), delivered.reversed().stream())
                .findFirst()
                .orElseThrow();
        ServiceClient.Answer duplicate = client().capture(token, List.of(local));
        assertThat(duplicate.status()).isEqualTo(200);
        assertThat(duplicate.json().get("duplicates").asLong()).isEqualTo(1);
    }

    void awaitTrusted() {
        Awaitility.await("a trusted source")
                .atMost(SEEN_WITHIN)
                .untilAsserted(() -> assertThat(codes("findings")).isEmpty());
    }

    /** The queue empties, a new event is accepted, an evicted one is still known. */
    void assertGoesOn() {
        Awaitility.await("an empty queue")
                .atMost(SEEN_WITHIN)
                .until(() -> ledger().status().queueEvents() == 0);
        delivered.addAll(queued);
        queued.clear();
        UUID fresh = UUID.randomUUID();
        Awaitility.await("an accepted event")
                .atMost(SEEN_WITHIN)
                .until(() -> client().capture(token, List.of(fresh)).status() == 200);
        delivered.add(fresh);
        ServiceClient.Answer known = client().capture(token, delivered);
        assertThat(known.status()).isEqualTo(200);
        assertThat(known.json().get("duplicates").asLong()).isEqualTo(delivered.size());
    }

    private List<String> codes(String kind) {
        List<String> codes = new ArrayList<>();
        client().status()
                .get("source")
                .get(kind)
                .forEach(finding -> codes.add(finding.get("code").asString()));
        return codes;
    }

    private double stalls() {
        return running().getBean(MeterRegistry.class).find("porcupine.delivery.stalls").counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    private Ledger ledger() {
        return running().getBean(Ledger.class);
    }

    private ServiceClient client() {
        String port = running().getEnvironment().getRequiredProperty("local.server.port");
        return new ServiceClient("http://127.0.0.1:" + port, "");
    }

    private ServletWebServerApplicationContext running() {
        if (context == null) {
            throw new IllegalStateException("the service is stopped");
        }
        return context;
    }
}
