package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.testkit.ClickHouseOptions;
import dev.porcupine.testkit.ClickHouseServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A thousand receipts against a history that grows: everything is sent twice, nothing is accepted twice, and the ledger stays as small
 * as it was. {@code -Dporcupine.test.finite-events=60000} sends fewer, {@code -Dporcupine.test.seed=} repeats a run.
 */
class FiniteLedgerIT {

    private static final int EVENTS = Integer.getInteger("porcupine.test.finite-events", 200_000);
    private static final long SEED = Long.getLong("porcupine.test.seed", 20_261_201L);
    private static final int LIMIT = 1_000;
    private static final int QUEUE_EVENTS_MAX = 10_000;
    private static final int BATCH = 500;
    private static final int RESEND_BATCH_MAX = 1_000;

    /** The default of {@code porcupine.capture.max-batch-events}: twenty probes of events that nobody knows, in one request. */
    private static final int LARGEST_BATCH = 10_000;

    private static final int CLIENTS = 4;
    private static final int OLD_EVENTS = 2_000;
    private static final int TOMBSTONES = 700;
    private static final Duration ALL_WITHIN = Duration.ofMinutes(10);

    @TempDir
    Path folder;

    @Test
    void history_grows_the_ledger_does_not_and_nothing_is_accepted_twice() throws Exception {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        try (ClickHouseServer clickHouse = ClickHouseServer.start()) {
            String database = clickHouse.freshDatabase();
            try (PackagedService service =
                            PackagedService.start(folder.resolve("data"), settings(clickHouse, database));
                    Watch watch = new Watch(service.client())) {
                ServiceClient client = service.client();
                Awaitility.await("the table")
                        .atMost(Duration.ofSeconds(60))
                        .until(() ->
                                client.status().get("source").get("verified").asBoolean());
                List<UUID> uuids = uuids(random, EVENTS);

                fillTheQueue(clickHouse, service, uuids.subList(0, QUEUE_EVENTS_MAX));
                long accepted = QUEUE_EVENTS_MAX;
                List<Long> sizes = new ArrayList<>();
                for (int quarter = 1; quarter <= 4; quarter++) {
                    int from = quarter == 1 ? QUEUE_EVENTS_MAX : EVENTS / 4 * (quarter - 1);
                    int to = EVENTS / 4 * quarter;
                    accepted += send(service, batches(uuids.subList(from, to), BATCH), "first")
                            .accepted();
                    assertThat(accepted).isEqualTo(to);
                    assertThat(client.settledCount(1)).isEqualTo(to);
                    sizes.add(ledgerBytes());
                }
                assertAsSmallAs(sizes.getFirst(), sizes.getLast());

                List<UUID> old = insertOldEvents(clickHouse, database);
                bury(clickHouse, database);
                List<UUID> again = new ArrayList<>(uuids);
                again.addAll(old);
                Collections.shuffle(again, random);
                Sum resent = send(service, randomBatches(again, random), "changed");
                assertThat(resent).isEqualTo(new Sum(0, again.size()));

                assertThat(client.settledCount(1)).isEqualTo(EVENTS + OLD_EVENTS - TOMBSTONES);
                assertThat(clickHouse.query("select count() from " + database
                                + ".events where positionUTF8(properties, 'changed') > 0"))
                        .isEqualTo("0");
                assertThat(clickHouse.query("select uniqExact(uuid) from " + database + ".events"))
                        .isEqualTo(Integer.toString(EVENTS + OLD_EVENTS));
                assertAsSmallAs(sizes.getFirst(), ledgerBytes());
                assertThat(client.status().get("receipts").get("evicted").asLong())
                        .isEqualTo(EVENTS - LIMIT);
                List<UUID> largest = uuids(random, LARGEST_BATCH);
                assertThat(send(service, List.of(largest), "first")).isEqualTo(new Sum(LARGEST_BATCH, 0));
                assertThat(client.settledCount(1)).isEqualTo(EVENTS + OLD_EVENTS - TOMBSTONES + LARGEST_BATCH);
                assertThat(watch.mostReceipts()).isEqualTo(LIMIT);
                System.out.printf(
                        "%d events, sent twice: ledger.db %s bytes after each quarter, %d at the end; at most %d receipts in %d looks;"
                                + " %d duplicates known by history, %d answers 503%n",
                        EVENTS,
                        sizes,
                        ledgerBytes(),
                        watch.mostReceipts(),
                        watch.looks(),
                        (long) client.metric("porcupine_capture_duplicates", "known_by=\"history\""),
                        refusals.get());
            }
        }
    }

    private final AtomicLong refusals = new AtomicLong();

    private static String[] settings(ClickHouseServer clickHouse, String database) {
        List<String> settings = new ArrayList<>(HistoryKind.clickHouse(clickHouse.endpoint(), database));
        settings.add("--porcupine.hot-receipt-limit=" + LIMIT);
        settings.add("--porcupine.queue.max-events=" + QUEUE_EVENTS_MAX);
        settings.add("--porcupine.clickhouse.storage-policy=" + ClickHouseOptions.STORAGE_POLICY);
        settings.add("--porcupine.clickhouse.cold-volume=" + ClickHouseOptions.COLD_VOLUME);
        settings.add("--porcupine.clickhouse.cold-after=30d");
        return settings.toArray(String[]::new);
    }

    /** So that the file has seen its longest queue before it is measured: SQLite reuses pages, it never gives them back. */
    private void fillTheQueue(ClickHouseServer clickHouse, PackagedService service, List<UUID> uuids) throws Exception {
        clickHouse.suspend();
        try {
            assertThat(send(service, batches(uuids, BATCH), "first")).isEqualTo(new Sum(QUEUE_EVENTS_MAX, 0));
            assertThat(service.client().status().get("queue").get("events").asLong())
                    .isEqualTo(QUEUE_EVENTS_MAX);
        } finally {
            clickHouse.resume();
        }
    }

    /** But for the pages that random keys leave half full: those of the longest queue and of the receipts settle down in time. */
    private static void assertAsSmallAs(long early, long late) {
        assertThat(late).as("bytes of ledger.db, against %d before", early).isLessThanOrEqualTo(early + early / 20);
    }

    /** Events of years ago that this ledger has never seen, in cold storage. */
    private static List<UUID> insertOldEvents(ClickHouseServer clickHouse, String database) {
        clickHouse.query("insert into " + database + ".events"
                + " (project_id, uuid, revision, is_deleted, event, distinct_id, timestamp_micros, received_at, properties)"
                + " select 1, generateUUIDv4(), 1, 0, 'old', 'u1', 0, toDateTime64('2024-01-15 00:00:00', 3, 'UTC')"
                + " + toIntervalMonth(number % 3), '{}' from numbers(" + OLD_EVENTS + ")");
        assertThat(clickHouse.query("select sum(rows) from system.parts where active and database = '" + database
                        + "' and disk_name in (select arrayJoin(disks) from system.storage_policies where policy_name = '"
                        + ClickHouseOptions.STORAGE_POLICY + "' and volume_name = '" + ClickHouseOptions.COLD_VOLUME
                        + "')"))
                .as("rows in cold storage")
                .isEqualTo(Integer.toString(OLD_EVENTS));
        return clickHouse
                .query("select uuid from " + database + ".events where event = 'old'")
                .lines()
                .map(UUID::fromString)
                .toList();
    }

    /** Tombstones, as a later release writes them: a newer revision beside the original. */
    private static void bury(ClickHouseServer clickHouse, String database) {
        clickHouse.query("insert into " + database + ".events"
                + " (project_id, uuid, revision, is_deleted, event, distinct_id, timestamp_micros, received_at, properties)"
                + " select project_id, uuid, 2, 1, event, distinct_id, timestamp_micros, received_at, '{}' from "
                + database
                + ".events where event != 'old' order by uuid limit 1 by uuid limit " + TOMBSTONES);
    }

    /** Sends by several clients at once, each batch until it is answered 200, as SDKs do. */
    private Sum send(PackagedService service, List<List<UUID>> batches, String text) throws Exception {
        ServiceClient client = service.client();
        String token = service.token();
        ConcurrentLinkedQueue<List<UUID>> waiting = new ConcurrentLinkedQueue<>(batches);
        try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
            List<Future<Sum>> running = Stream.generate(() -> clients.submit(() -> {
                        Sum sum = new Sum(0, 0);
                        for (List<UUID> batch = waiting.poll(); batch != null; batch = waiting.poll()) {
                            sum = sum.plus(untilTaken(client, token, batch, text));
                        }
                        return sum;
                    }))
                    .limit(CLIENTS)
                    .toList();
            Sum all = new Sum(0, 0);
            for (Future<Sum> one : running) {
                all = all.plus(one.get());
            }
            return all;
        }
    }

    private Sum untilTaken(ServiceClient client, String token, List<UUID> batch, String text) {
        ServiceClient.Answer answer = Awaitility.await("a batch to be taken")
                .atMost(ALL_WITHIN)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(100))
                .until(() -> client.capture(token, batch, text), taken -> {
                    if (taken.status() != 200) {
                        assertThat(taken.status()).as(taken.body()).isEqualTo(503);
                        refusals.incrementAndGet();
                    }
                    return taken.status() == 200;
                });
        assertThat(answer.json().get("rejected").asInt()).isZero();
        return new Sum(
                answer.json().get("accepted").asInt(),
                answer.json().get("duplicates").asInt());
    }

    private record Sum(long accepted, long duplicates) {

        Sum plus(Sum other) {
            return new Sum(accepted + other.accepted, duplicates + other.duplicates);
        }
    }

    /** Every fourth as python, go and PHP write them, the others in the order of time. */
    private static List<UUID> uuids(Random random, int count) {
        List<UUID> uuids = new ArrayList<>(count);
        long millis = System.currentTimeMillis();
        for (int i = 0; i < count; i++) {
            long second = (random.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
            long first = i % 4 == 0
                    ? (random.nextLong() & 0xFFFF_FFFF_FFFF_0FFFL) | 0x4000L
                    : ((millis + i / 100) << 16) | 0x7000L | random.nextInt(0x1000);
            uuids.add(new UUID(first, second));
        }
        return uuids;
    }

    private static List<List<UUID>> batches(List<UUID> uuids, int size) {
        List<List<UUID>> batches = new ArrayList<>();
        for (int from = 0; from < uuids.size(); from += size) {
            batches.add(uuids.subList(from, Math.min(uuids.size(), from + size)));
        }
        return batches;
    }

    private static List<List<UUID>> randomBatches(List<UUID> uuids, Random random) {
        List<List<UUID>> batches = new ArrayList<>();
        for (int from = 0; from < uuids.size(); ) {
            int to = Math.min(uuids.size(), from + 1 + random.nextInt(RESEND_BATCH_MAX));
            batches.add(uuids.subList(from, to));
            from = to;
        }
        return batches;
    }

    private long ledgerBytes() {
        try {
            return Files.size(folder.resolve("data").resolve("ledger.db"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Looks at the number of receipts all the time. */
    private static final class Watch implements AutoCloseable {

        private final ServiceClient client;
        private final AtomicBoolean ended = new AtomicBoolean();
        private final AtomicLong most = new AtomicLong();
        private final AtomicLong looks = new AtomicLong();
        private final Thread thread;

        Watch(ServiceClient client) {
            this.client = client;
            this.thread = Thread.ofPlatform().daemon().name("watch").start(this::look);
        }

        private void look() {
            while (!ended.get()) {
                long hot = client.status().get("receipts").get("hot").asLong();
                most.accumulateAndGet(hot, Math::max);
                looks.incrementAndGet();
                LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            }
        }

        long mostReceipts() {
            return most.get();
        }

        long looks() {
            return looks.get();
        }

        @Override
        public void close() {
            ended.set(true);
            try {
                thread.join(Duration.ofSeconds(40));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
