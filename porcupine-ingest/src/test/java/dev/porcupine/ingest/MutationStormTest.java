package dev.porcupine.ingest;

import static dev.porcupine.ingest.MutationRaceContract.changed;
import static dev.porcupine.ingest.MutationRaceContract.patch;
import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.ClickHouseSettings;
import dev.porcupine.history.Histories;
import dev.porcupine.history.History;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.ClickHouseOptions;
import dev.porcupine.testkit.SharedClickHouse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many mutations of few events, and events of which only cold storage knows, on the real ClickHouse. */
@Timeout(180)
class MutationStormTest {

    private static final int EVENTS = 100;
    private static final int MUTATIONS = Integer.getInteger("porcupine.test.mutations", 10_000);
    private static final int CLIENTS = 8;

    /** So many in a row mutate the same event, and meet. */
    private static final int CLIENTS_OF_AN_EVENT = 4;

    /** As delivery's own pause makes it. */
    private static final int DELIVERED_AT_ONCE = 1_000;

    @TempDir(factory = MemoryTempDir.class)
    Path dir;

    @Test
    void ten_thousand_mutations_of_a_hundred_events_stay_exact_and_leave_nothing_to_do() throws Exception {
        try (ProofRig rig = new ProofRig(dir, clickHouse(SharedClickHouse.freshDatabase(), false), 50)) {
            List<Event> originals = IntStream.range(0, EVENTS)
                    .mapToObj(n -> rig.event(n, "client"))
                    .toList();
            rig.accept(originals.toArray(Event[]::new));
            rig.deliverAll();
            AtomicBoolean ended = new AtomicBoolean();
            AtomicInteger next = new AtomicInteger();
            AtomicInteger repeated = new AtomicInteger();
            try (ExecutorService threads = Executors.newFixedThreadPool(CLIENTS + 1)) {
                Future<?> delivery = threads.submit(() -> {
                    while (!ended.get()) {
                        if (rig.ledger.status().queueEvents() >= DELIVERED_AT_ONCE) {
                            rig.deliver(DELIVERED_AT_ONCE);
                        } else {
                            LockSupport.parkNanos(1_000_000);
                        }
                    }
                });
                List<Future<?>> clients = new ArrayList<>();
                for (int client = 0; client < CLIENTS; client++) {
                    clients.add(threads.submit(() -> {
                        for (int n = next.getAndIncrement(); n < MUTATIONS; n = next.getAndIncrement()) {
                            repeated.addAndGet(untilTaken(
                                    rig,
                                    originals
                                            .get(n / CLIENTS_OF_AN_EVENT % EVENTS)
                                            .identity()));
                        }
                    }));
                }
                for (Future<?> client : clients) {
                    client.get();
                }
                ended.set(true);
                delivery.get();
            }
            rig.deliverAll();
            assertThat(rig.history.count(rig.project)).isEqualTo(EVENTS);
            for (Event original : originals) {
                Event newest = rig.history.find(original.identity()).orElseThrow();
                assertThat(newest.revision()).isEqualTo(1 + MUTATIONS / EVENTS);
                assertThat(ProofRig.kinds(rig.accept(original))).hasSize(1);
            }
            assertThat(rig.ledger.status().heads()).isEqualTo(EVENTS);
            assertThat(rig.ledger.status().queueEvents()).isZero();
            assertThat(rig.ledger.status().queueBytes()).isZero();
            assertThat(rig.ledger.status().receipts()).isLessThanOrEqualTo(50);
            assertThat(rig.ledger.pendingRevisions().deleted(rig.project)).isEmpty();
            System.out.println(MUTATIONS + " mutations, " + repeated + " overtaken or refused and sent again");
        }
    }

    @Test
    void an_event_in_cold_storage_that_only_history_knows_is_mutated_in_its_own_partition() {
        ClickHouseEndpoint server = SharedClickHouse.endpoint();
        String database = SharedClickHouse.freshDatabase();
        try (ProofRig rig = new ProofRig(dir, clickHouse(database, true), 3)) {
            long old = Instant.now().minus(Duration.ofDays(400)).toEpochMilli();
            Event aged = receivedAt(rig.event(1, "client"), old);
            Event gone = receivedAt(rig.event(2, "client"), old);
            rig.accept(aged, gone);
            rig.deliverAll();
            rig.evictAllOlder();
            assertThat(server.query("select sum(rows) from system.parts where active and database = '" + database
                            + "' and disk_name in (select arrayJoin(disks) from system.storage_policies where"
                            + " policy_name = '"
                            + ClickHouseOptions.STORAGE_POLICY + "' and volume_name = '" + ClickHouseOptions.COLD_VOLUME
                            + "')"))
                    .as("rows in cold storage")
                    .isEqualTo("2");
            Event second =
                    changed(rig.mutations(MutationSteps.NONE).mutate(aged.identity(), patch("\"a\":1"), IfMatch.ANY));
            assertThat(rig.mutations(MutationSteps.NONE).mutate(gone.identity(), new Change.Delete(), IfMatch.ANY))
                    .isEqualTo(new MutationAnswer.Deleted(2, false));
            long live = rig.history.count(rig.project);
            rig.deliverAll();
            assertThat(rig.history.count(rig.project)).isEqualTo(live - 1);
            assertThat(rig.history.find(aged.identity())).contains(second);
            assertThat(server.query("select uniqExact(_partition_id) from " + database + ".events where uuid in ('"
                            + aged.identity().uuid() + "','" + gone.identity().uuid() + "')"))
                    .isEqualTo("1");
            assertThat(ProofRig.kinds(rig.accept(aged, gone)))
                    .allMatch(kind -> kind.name().startsWith("KNOWN"));
        }
    }

    /** How often it had to be sent again. */
    private static int untilTaken(ProofRig rig, EventIdentity identity) {
        for (int repeats = 0; repeats < 1_000; repeats++) {
            MutationAnswer answer =
                    rig.mutations(MutationSteps.NONE).mutate(identity, patch("\"touched\":true"), IfMatch.ANY);
            if (answer instanceof MutationAnswer.Changed) {
                return repeats;
            }
            MutationAnswer.Refused refused = (MutationAnswer.Refused) answer;
            assertThat(refused.problem().retryable()).as("%s", refused).isTrue();
        }
        throw new AssertionError("refused a thousand times");
    }

    private static Event receivedAt(Event event, long receivedAtMillis) {
        return Event.original(
                event.identity(),
                event.name(),
                event.distinctId(),
                event.timestampMicros(),
                receivedAtMillis,
                event.properties());
    }

    private static History clickHouse(String database, boolean cold) {
        ClickHouseEndpoint server = SharedClickHouse.endpoint();
        return Histories.clickHouse(
                new ClickHouseSettings(
                        server.url(),
                        database,
                        "events",
                        server.user(),
                        server.password(),
                        cold ? ClickHouseOptions.STORAGE_POLICY : null,
                        cold ? ClickHouseOptions.COLD_VOLUME : null,
                        cold ? Duration.ofDays(30) : null),
                new SimpleMeterRegistry());
    }
}
