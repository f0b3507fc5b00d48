package dev.porcupine.ledger;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Prints what acceptance and settlement reach, for comparison before and after a change; not a test. Arguments: directory for the
 * ledgers, seconds a measurement, then receipt counts (default 1000 1000000).
 */
final class LedgerBenchmark {

    private static final int PAYLOAD_BYTES = 500;

    private LedgerBenchmark() {}

    public static void main(String[] args) throws Exception {
        Path base = Path.of(args[0]);
        int seconds = Integer.parseInt(args[1]);
        List<Integer> receiptCounts = args.length > 2
                ? Arrays.stream(args).skip(2).map(Integer::valueOf).toList()
                : List.of(1_000, 1_000_000);
        for (int receipts : receiptCounts) {
            for (int batch : List.of(1, 10, 100)) {
                Path dir = Files.createTempDirectory(base, "ledger-benchmark");
                try {
                    prepare(dir, receipts);
                    measure(dir, receipts, batch, batch == 1 ? 32 : 8, seconds);
                } finally {
                    delete(dir);
                }
            }
        }
    }

    private static void prepare(Path dir, int receipts) throws SQLException {
        try (Ledger ledger = open(dir)) {
            ledger.projects().create("benchmark");
        }
        SplittableRandom random = new SplittableRandom(1);
        byte[][] uuids = new byte[receipts][];
        for (int i = 0; i < receipts; i++) {
            uuids[i] = new EventUuid(random.nextLong(), random.nextLong()).toBytes();
        }
        Arrays.sort(uuids, Arrays::compareUnsigned);
        try (Connection connection = new LedgerFile(dir).openForWriting()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement(
                    "insert into event_receipts (project_id, uuid, received_at, settled_seq, content_tag) values (1, ?, ?, ?, ?)")) {
                for (int i = 0; i < receipts; i++) {
                    insert.setBytes(1, uuids[i]);
                    insert.setLong(2, 1_796_000_000_000L);
                    insert.setLong(3, i + 1L);
                    insert.setInt(4, i);
                    insert.executeUpdate();
                }
            }
            connection.setAutoCommit(true);
        }
    }

    private static void measure(Path dir, int receipts, int batch, int threads, int seconds) throws Exception {
        long openStart = System.nanoTime();
        try (Ledger ledger = open(dir)) {
            long openMillis = (System.nanoTime() - openStart) / 1_000_000;
            accept(ledger, batch, threads, 2, new ArrayList<>());
            List<Long> latencies = new ArrayList<>();
            long cpuBefore = writerCpuNanos();
            long eventsBefore = ledger.status().queueEvents();
            double rate = accept(ledger, batch, threads, seconds, latencies);
            double acceptMicros =
                    (writerCpuNanos() - cpuBefore) / 1e3 / (ledger.status().queueEvents() - eventsBefore);
            latencies.sort(Comparator.naturalOrder());
            long walMebibytes = Files.size(dir.resolve("ledger.db-wal")) >> 20;
            cpuBefore = writerCpuNanos();
            long settleStart = System.nanoTime();
            long settled = 0;
            while (settled < 50_000) {
                List<QueuedEvent> oldest = ledger.queue().oldest(10_000, 64L << 20);
                if (oldest.isEmpty()) {
                    break;
                }
                ledger.queue().settle(oldest, Samples.SOURCE);
                settled += oldest.size();
            }
            double settleRate = settled / ((System.nanoTime() - settleStart) / 1e9);
            double settleMicros = (writerCpuNanos() - cpuBefore) / 1e3 / settled;
            System.out.printf(
                    "receipts %,9d  batch %3d  threads %2d: %,7.0f ev/s accepted (writer %.1f µs each), p50 %.1f ms, p99 %.1f ms;"
                            + " %,7.0f ev/s settled (writer %.1f µs each); wal %d MiB, open %d ms%n",
                    receipts,
                    batch,
                    threads,
                    rate,
                    acceptMicros,
                    latencies.get(latencies.size() / 2) / 1e6,
                    latencies.get((int) (latencies.size() * 0.99)) / 1e6,
                    settleRate,
                    settleMicros,
                    walMebibytes,
                    openMillis);
        }
    }

    /** On a busy machine the processor time tells more than the clock. */
    private static long writerCpuNanos() {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals("ledger-writer")) {
                return ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.threadId());
            }
        }
        throw new IllegalStateException("there is no writer");
    }

    private static double accept(Ledger ledger, int batch, int threads, int seconds, List<Long> latencies)
            throws InterruptedException {
        AtomicLong accepted = new AtomicLong();
        long start = System.nanoTime();
        long end = start + seconds * 1_000_000_000L;
        CountDownLatch done = new CountDownLatch(threads);
        for (int t = 0; t < threads; t++) {
            SplittableRandom random = new SplittableRandom(System.nanoTime() + t);
            Thread.ofPlatform().start(() -> {
                List<Long> own = new ArrayList<>();
                byte[] payload = new byte[PAYLOAD_BYTES];
                while (System.nanoTime() < end) {
                    List<Event> events = new ArrayList<>(batch);
                    for (int i = 0; i < batch; i++) {
                        events.add(Event.original(
                                new EventIdentity(
                                        new ProjectId(1), new EventUuid(random.nextLong(), random.nextLong())),
                                "$pageview",
                                "0190f000-0000-7000-8000-00000000abcd",
                                1,
                                1,
                                payload));
                    }
                    long from = System.nanoTime();
                    if (!(Samples.accept(ledger, events) instanceof AcceptResult.Committed)) {
                        throw new IllegalStateException("refused");
                    }
                    own.add(System.nanoTime() - from);
                    accepted.addAndGet(batch);
                }
                synchronized (latencies) {
                    latencies.addAll(own);
                }
                done.countDown();
            });
        }
        done.await();
        return accepted.get() / ((System.nanoTime() - start) / 1e9);
    }

    private static Ledger open(Path dir) {
        return Ledger.open(new LedgerSettings(dir, 100_000_000, 1L << 40), InstantSource.system());
    }

    private static void delete(Path dir) throws IOException {
        try (var files = Files.walk(dir)) {
            files.sorted(Comparator.reverseOrder()).forEach(path -> {
                try {
                    Files.delete(path);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }
}
