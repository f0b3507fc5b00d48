package dev.porcupine.ledger;

import static dev.porcupine.ledger.Samples.events;
import static dev.porcupine.ledger.Samples.kinds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.ProjectId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WalBoundTest {

    private static final long WAL_BYTES_MAX = 1L << 20;

    @TempDir
    private Path dir;

    @Test
    void the_log_stays_small_while_readers_overlap_without_a_pause() throws Exception {
        try (Ledger ledger = open(Duration.ofSeconds(5))) {
            ProjectId project = ledger.projects().create("shop").project().id();
            ledger.acceptance().accept(events(project, 0, 500));
            AtomicBoolean reading = new AtomicBoolean(true);
            List<Thread> readers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                readers.add(Thread.ofPlatform().start(() -> {
                    while (reading.get()) {
                        ledger.queue().oldest(500, Long.MAX_VALUE);
                    }
                }));
            }
            long largest = 0;
            for (long n = 500; n < 15_500; n += 250) {
                kinds(ledger.acceptance().accept(events(project, n, n + 250)));
                largest = Math.max(largest, Files.size(new LedgerFile(dir).wal()));
            }
            reading.set(false);
            for (Thread reader : readers) {
                reader.join();
            }
            assertThat(largest).isGreaterThan(WAL_BYTES_MAX / 2).isLessThan(4 * WAL_BYTES_MAX);
            assertThat(ledger.status().queueEvents()).isEqualTo(15_500);
        }
    }

    @Test
    void a_reader_in_the_way_postpones_the_truncation_and_stops_nothing() throws Exception {
        try (Ledger ledger = open(Duration.ofMillis(10))) {
            ProjectId project = ledger.projects().create("shop").project().id();
            ledger.acceptance().accept(events(project, 0, 10));
            try (var connection = DriverManager.getConnection("jdbc:sqlite:" + new LedgerFile(dir).path());
                    var statement = connection.createStatement();
                    var row = statement.executeQuery("select seq from event_queue")) {
                row.next();
                for (long n = 10; n < 10_010; n += 250) {
                    kinds(ledger.acceptance().accept(events(project, n, n + 250)));
                }
                assertThat(Files.size(new LedgerFile(dir).wal())).isGreaterThan(WAL_BYTES_MAX);
            }
            for (long n = 10_010; n < 15_010; n += 250) {
                kinds(ledger.acceptance().accept(events(project, n, n + 250)));
            }
            assertThat(Files.size(new LedgerFile(dir).wal())).isLessThan(2 * WAL_BYTES_MAX);
            assertThat(ledger.status().queueEvents()).isEqualTo(15_010);
        }
    }

    private Ledger open(Duration checkpointWait) {
        WriterLimits usual = Samples.limits();
        WriterLimits limits = new WriterLimits(
                usual.waitingTasksMax(),
                usual.waitingBytesMax(),
                usual.groupTasksMax(),
                usual.groupRowsMax(),
                usual.captureWait(),
                usual.soloWait(),
                WAL_BYTES_MAX,
                checkpointWait,
                Duration.ZERO);
        return Ledger.open(
                Samples.roomy(dir),
                Samples.CLOCK,
                new LedgerTuning(limits, WriteSteps.NONE, Duration.ofSeconds(5), Duration.ofSeconds(5)));
    }
}
