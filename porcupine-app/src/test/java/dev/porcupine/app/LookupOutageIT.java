package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.testkit.ClickHouseServer;
import dev.porcupine.testkit.Fault;
import dev.porcupine.testkit.FaultProxy;
import dev.porcupine.testkit.WireAnswer;
import dev.porcupine.testkit.WireRequest;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A finite ledger whose history is away, hangs or answers nonsense: what clients get, and that nothing is accepted unproven. */
class LookupOutageIT {

    private static final int LIMIT = 100;
    private static final int EVENTS = 1_000;
    private static final int BATCH = 100;
    private static final int REFUSED_BATCHES = 1_000;
    private static final int CLIENTS = 16;
    private static final Duration ANSWER_MAX = Duration.ofSeconds(7);

    /** What an outage may be called, depending on how far a lookup got. */
    private static final Set<String> OUTAGE_CODES =
            Set.of("history_unavailable", "lookup_deadline", "lookup_overloaded");

    /** Tomcat's and the JVM's own pools grow to their sizes; a leak of one thread a batch would be hundreds. */
    private static final int THREADS_MORE_MAX = 40;

    private static final int FILES_MORE_MAX = 30;

    private static final String EMPTY_ENVELOPE = """
            {"meta":[{"name":"project_id","type":"UInt64"},{"name":"uuid","type":"UUID"}],"data":[],"rows":0,\
            "statistics":{"elapsed":0.01,"rows_read":0,"bytes_read":0}}""";

    @TempDir
    Path folder;

    @Test
    void with_clickhouse_stopped_local_duplicates_succeed_and_nothing_unknown_is_accepted() throws Exception {
        outage(ClickHouseServer::kill, ClickHouseServer::restart);
    }

    @Test
    void with_clickhouse_hung_local_duplicates_succeed_and_nothing_unknown_is_accepted() throws Exception {
        outage(ClickHouseServer::suspend, ClickHouseServer::resume);
    }

    private void outage(Consumer<ClickHouseServer> begin, Consumer<ClickHouseServer> end) throws Exception {
        try (ClickHouseServer clickHouse = ClickHouseServer.start();
                PackagedService service = start(clickHouse, clickHouse.url())) {
            ServiceClient client = service.client();
            String token = service.token();
            List<List<UUID>> sent = fill(service);
            Load before = Load.of(client);

            begin.accept(clickHouse);
            // The first to come are those that find out.
            List<UUID> unknown = uuids();
            assertRefused(client, token, unknown, OUTAGE_CODES);
            assertRefused(client, token, sent.getFirst(), OUTAGE_CODES);
            List<UUID> mixed = new ArrayList<>(sent.getLast());
            mixed.addAll(unknown);
            assertRefused(client, token, mixed, OUTAGE_CODES);
            assertThat(client.capture(token, sent.getLast(), "changed")
                            .json()
                            .get("duplicates")
                            .asInt())
                    .isEqualTo(BATCH);
            assertThat(client.get("/actuator/health/readiness").status()).isEqualTo(200);

            Set<String> codes = refuse(client, token);
            assertThat(OUTAGE_CODES).containsAll(codes);
            assertThat(client.capture(token, sent.getLast()).status()).isEqualTo(200);
            assertNothingLeaked(client, before);

            end.accept(clickHouse);
            Awaitility.await("history to be trusted again")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> client.status().get("source").get("verified").asBoolean());
            assertThat(accepted(client, token, mixed)).isEqualTo(BATCH);
            assertThat(accepted(client, token, unknown)).isZero();
            for (List<UUID> batch : sent) {
                assertThat(accepted(client, token, batch)).isZero();
            }
            assertThat(client.settledCount(1)).isEqualTo(EVENTS + BATCH);
            System.out.println("codes met: " + codes + "; before " + before + ", after " + Load.of(client));
        }
    }

    /** Verification works, so that every batch gets as far as a lookup, and each of those breaks. */
    @Test
    void a_thousand_broken_lookups_leave_no_thread_connection_lease_or_slot_behind() throws Exception {
        try (ClickHouseServer clickHouse = ClickHouseServer.start();
                FaultProxy network = FaultProxy.before(clickHouse.url());
                PackagedService service = start(clickHouse, network.url())) {
            ServiceClient client = service.client();
            fill(service);
            Load before = Load.of(client);
            network.always(Fault.cutAfterUpstream(), LookupOutageIT::lookup);
            assertThat(OUTAGE_CODES).containsAll(refuse(client, service.token()));
            assertNothingLeaked(client, before);
            Awaitility.await("connections to ClickHouse to go")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> network.openConnections() <= 10);
            assertThat(network.faults()).isGreaterThan(100);
            network.heal();
            assertThat(accepted(client, service.token(), uuids())).isEqualTo(BATCH);
            assertThat(client.settledCount(1)).isEqualTo(EVENTS + BATCH);
        }
    }

    /** One client that sends an evicted and a new event through each fault, and again after it. */
    @Test
    void every_fault_of_a_lookup_is_a_503_with_its_own_code_and_accepts_nothing() throws Exception {
        try (ClickHouseServer clickHouse = ClickHouseServer.start();
                FaultProxy network = FaultProxy.before(clickHouse.url());
                PackagedService service = start(clickHouse, network.url())) {
            ServiceClient client = service.client();
            UUID evicted = fill(service).getFirst().getFirst();
            int events = EVENTS;
            for (Case fault : cases()) {
                List<UUID> batch = List.of(evicted, UUID.randomUUID());
                network.always(fault.fault(), LookupOutageIT::lookup);
                assertRefused(client, service.token(), batch, Set.of(fault.code()));
                network.heal();
                ServiceClient.Answer healed = answerOtherThan503(client, service.token(), batch);
                assertThat(healed.json().get("accepted").asInt())
                        .as("after %s", fault.name())
                        .isEqualTo(1);
                assertThat(healed.json().get("duplicates").asInt())
                        .as("after %s", fault.name())
                        .isEqualTo(1);
                events++;
            }
            assertThat(client.settledCount(1)).isEqualTo(events);
            assertThat(client.uuids(1)).hasSize(events);
            assertThat(client.metric("porcupine_ledger_leases", "")).isZero();
        }
    }

    private static boolean lookup(WireRequest request) {
        return request.mentions("/* porcupine:receipts */");
    }

    private record Case(String name, Fault fault, String code) {}

    private static List<Case> cases() {
        return List.of(
                new Case("reset", Fault.reset(), "history_unavailable"),
                new Case("cut after the answer", Fault.cutAfterUpstream(), "history_unavailable"),
                new Case("hung", Fault.hang(), "lookup_deadline"),
                new Case("slow drip", Fault.dripAnswer(1, Duration.ofMillis(100)), "lookup_deadline"),
                new Case("html with 200", rewritten("<html>It works!</html>"), "lookup_incomplete"),
                new Case(
                        "foreign empty envelope",
                        Fault.answer(WireAnswer.of(200, "application/json", EMPTY_ENVELOPE)),
                        "lookup_incomplete"),
                new Case("json cut", rewritten(EMPTY_ENVELOPE.substring(0, 100)), "lookup_incomplete"),
                new Case(
                        "exception after a 200",
                        rewritten(EMPTY_ENVELOPE + "Code: 241. DB::Exception: Memory limit exceeded"),
                        "lookup_incomplete"),
                new Case("503", Fault.answer(WireAnswer.of(503, "text/plain", "busy")), "lookup_incomplete"),
                new Case("oversized", rewritten("x".repeat(3 << 20)), "lookup_limit"),
                new Case("memory limit", error(241), "lookup_limit"),
                new Case("bytes to read", error(307), "lookup_limit"),
                new Case("result limit", error(396), "lookup_limit"),
                new Case("time limit", error(159), "lookup_deadline"),
                new Case("access denied", error(497), "history_unavailable"),
                new Case("no table", error(60), "source_changed"));
    }

    private static Fault rewritten(String body) {
        return Fault.rewrite(answer -> answer.withBody(body));
    }

    private static Fault error(int code) {
        return Fault.rewrite(answer -> answer.withStatus(500)
                .withHeader("X-ClickHouse-Exception-Code", Integer.toString(code))
                .withBody("Code: " + code + ". DB::Exception: planted"));
    }

    private PackagedService start(ClickHouseServer clickHouse, URI url) {
        return PackagedService.start(
                folder.resolve("data"),
                "--porcupine.clickhouse.url=" + url,
                "--porcupine.clickhouse.database=" + clickHouse.freshDatabase(),
                "--porcupine.clickhouse.username=" + clickHouse.user(),
                "--porcupine.clickhouse.password=" + clickHouse.password(),
                "--porcupine.hot-receipt-limit=" + LIMIT);
    }

    /** Delivered in this order, so that the last batch is in the ledger and all others are known by history alone. */
    private static List<List<UUID>> fill(PackagedService service) {
        ServiceClient client = service.client();
        List<List<UUID>> sent =
                Stream.generate(LookupOutageIT::uuids).limit(EVENTS / BATCH).toList();
        for (List<UUID> batch : sent) {
            assertThat(accepted(client, service.token(), batch)).isEqualTo(BATCH);
            assertThat(client.settledCount(1)).isPositive();
        }
        assertThat(client.settledCount(1)).isEqualTo(EVENTS);
        assertThat(client.status().get("receipts").get("hot").asInt()).isEqualTo(LIMIT);
        return sent;
    }

    private static void assertRefused(ServiceClient client, String token, List<UUID> batch, Set<String> codes) {
        long start = System.nanoTime();
        ServiceClient.Answer answer = client.capture(token, batch);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(ANSWER_MAX);
        assertThat(answer.status()).as(answer.body()).isEqualTo(503);
        assertThat(answer.contentType()).startsWith("application/problem+json");
        assertThat(Integer.parseInt(answer.retryAfter())).isPositive();
        assertThat(answer.json().get("code").asString()).as(answer.body()).isIn(codes);
        assertThat(answer.json().get("retryable").asBoolean()).isTrue();
    }

    /** Returns the codes that a thousand batches of unknown events met. */
    private static Set<String> refuse(ServiceClient client, String token) throws Exception {
        Set<String> codes = ConcurrentHashMap.newKeySet();
        ConcurrentLinkedQueue<Integer> waiting = new ConcurrentLinkedQueue<>(
                IntStream.range(0, REFUSED_BATCHES).boxed().toList());
        try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                running.add(clients.submit(() -> {
                    while (waiting.poll() != null) {
                        long start = System.nanoTime();
                        ServiceClient.Answer answer = client.capture(token, uuids());
                        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(ANSWER_MAX);
                        assertThat(answer.status()).as(answer.body()).isEqualTo(503);
                        codes.add(answer.json().get("code").asString());
                    }
                    return null;
                }));
            }
            for (Future<?> one : running) {
                one.get();
            }
        }
        return codes;
    }

    private static void assertNothingLeaked(ServiceClient client, Load before) {
        Awaitility.await("leases, slots, threads and connections to be given back")
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> {
                    Load now = Load.of(client);
                    assertThat(now.leases()).isZero();
                    assertThat(now.freeSlots()).isEqualTo(2);
                    assertThat(now.waiting()).isZero();
                    assertThat(now.threads()).isLessThanOrEqualTo(before.threads() + THREADS_MORE_MAX);
                    assertThat(now.openFiles()).isLessThanOrEqualTo(before.openFiles() + FILES_MORE_MAX);
                });
    }

    /** What a leak would show in; sockets are files. */
    private record Load(double leases, double freeSlots, double waiting, double threads, double openFiles) {

        static Load of(ServiceClient client) {
            Load load = new Load(
                    client.metric("porcupine_ledger_leases", ""),
                    client.metric("porcupine_probe_slots_available", "purpose=\"capture\""),
                    client.metric("porcupine_probe_waiting", "purpose=\"capture\""),
                    client.metric("jvm_threads_live_threads", ""),
                    client.metric("process_files_open_files", ""));
            assertThat(load.threads()).as("the meter is there").isPositive();
            assertThat(load.openFiles()).as("the meter is there").isPositive();
            return load;
        }
    }

    private static int accepted(ServiceClient client, String token, List<UUID> batch) {
        ServiceClient.Answer answer = answerOtherThan503(client, token, batch);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json().get("accepted").asInt();
    }

    private static ServiceClient.Answer answerOtherThan503(ServiceClient client, String token, List<UUID> batch) {
        return Awaitility.await("an answer other than 503")
                .atMost(Duration.ofSeconds(60))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(200))
                .until(() -> client.capture(token, batch), answer -> answer.status() != 503);
    }

    private static List<UUID> uuids() {
        return Stream.generate(UUID::randomUUID).limit(BATCH).toList();
    }
}
