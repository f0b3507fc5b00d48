package dev.porcupine.ledger;

import com.zaxxer.hikari.HikariDataSource;
import dev.porcupine.schema.LedgerLineage;
import dev.porcupine.schema.LedgerMark;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.Ticker;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The ledger of one data directory. */
public final class Ledger implements AutoCloseable {

    private final LedgerSettings settings;
    private final DataDirectoryLock lock;
    private final HikariDataSource readers;
    private final LedgerWriter writer;
    private final Projects projects;
    private final Acceptance acceptance;
    private final EventQueue queue;
    private final Quarantine quarantine;
    private final Mutations mutations;
    private final PendingRevisions pendingRevisions;
    private final LocalRecord localRecord;
    private final Eviction eviction;
    private final Reconciliation reconciliation;
    private final SourcePin pin;
    private final Leases leases;
    private final Removals removals;
    private final DeliveryBarrier deliveries;
    private final Epochs epochs;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Ledger(
            LedgerSettings settings,
            InstantSource clock,
            DataDirectoryLock lock,
            HikariDataSource readers,
            LedgerWriter writer,
            ProjectDirectory directory,
            SourcePin pin,
            Leases leases,
            Epochs epochs,
            RemovalDirectory removalDirectory,
            DeliveryBarrier deliveries,
            Ticker ticker) {
        this.settings = settings;
        this.lock = lock;
        this.readers = readers;
        this.writer = writer;
        this.pin = pin;
        this.leases = leases;
        this.epochs = epochs;
        this.eviction = new Eviction(writer, leases, pin, settings.hotReceiptLimit());
        this.localRecord = new LocalRecord(readers, writer, leases);
        this.reconciliation = new Reconciliation(readers, writer, pin, eviction, removalDirectory);
        JdbcClient reading = JdbcClient.create(readers);
        this.projects = new Projects(writer, directory, clock);
        this.acceptance = new Acceptance(writer, settings, directory);
        this.queue = new EventQueue(writer, reading, clock, pin, eviction);
        this.quarantine = new Quarantine(writer, reading, settings, directory, ticker);
        this.removals = new Removals(writer, reading, directory, removalDirectory, clock);
        this.deliveries = deliveries;
        this.mutations = new Mutations(readers, writer, settings, directory);
        this.pendingRevisions = new PendingRevisions(readers);
    }

    /** @throws LedgerStartException when the directory is in use, unreadable, damaged or of a newer release; says which and what to do */
    public static Ledger open(LedgerSettings settings, InstantSource clock) {
        return open(settings, clock, LedgerTuning.DEFAULT);
    }

    /**
     * The same with another monotonic clock for the leases and for what is bounded by time.
     *
     * @throws LedgerStartException as above
     */
    public static Ledger open(LedgerSettings settings, InstantSource clock, Ticker leaseTicker) {
        LedgerTuning usual = LedgerTuning.DEFAULT;
        return open(
                settings,
                clock,
                new LedgerTuning(
                        usual.limits(),
                        usual.steps(),
                        usual.boundedTablesBudget(),
                        usual.receiptsBudget(),
                        leaseTicker));
    }

    static Ledger open(LedgerSettings settings, InstantSource clock, LedgerTuning tuning) {
        LedgerFile.createDirectory(settings.dataDir());
        DataDirectoryLock lock = DataDirectoryLock.take(settings.dataDir());
        try {
            return openLocked(settings, clock, tuning, lock);
        } catch (RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    private static Ledger openLocked(
            LedgerSettings settings, InstantSource clock, LedgerTuning tuning, DataDirectoryLock lock) {
        LedgerFile file = new LedgerFile(settings.dataDir());
        ProjectDirectory directory = new ProjectDirectory();
        RemovalDirectory removals = new RemovalDirectory();
        SourcePin pin = new SourcePin(clock, settings.hotReceiptLimit() > 0);
        LedgerWriter writer = null;
        try {
            file.createOrRecognise();
            file.syncWal();
            LedgerMigrations.migrate(file);
            LedgerAudit.run(file, tuning);
            writer = new LedgerWriter(
                    file,
                    tuning,
                    connection -> {
                        directory.reload(connection);
                        removals.reload(connection);
                        pin.reload(connection);
                    },
                    System::nanoTime);
            file.syncDirectory();
            HikariDataSource readers = file.openReaders();
            Epochs epochs;
            try {
                epochs = Epochs.enter(file, clock, JdbcClient.create(readers));
            } catch (SQLException | RuntimeException e) {
                readers.close();
                throw e;
            }
            writer.start();
            return new Ledger(
                    settings,
                    clock,
                    lock,
                    readers,
                    writer,
                    directory,
                    pin,
                    new Leases(tuning.ticker()),
                    epochs,
                    removals,
                    new DeliveryBarrier(tuning.ticker()),
                    tuning.ticker());
        } catch (SQLException | IOException e) {
            closeQuietly(writer);
            throw LedgerStartException.unusable(file.path(), e);
        } catch (RuntimeException e) {
            closeQuietly(writer);
            throw e;
        }
    }

    public Projects projects() {
        return projects;
    }

    public Acceptance acceptance() {
        return acceptance;
    }

    public EventQueue queue() {
        return queue;
    }

    public Quarantine quarantine() {
        return quarantine;
    }

    public Mutations mutations() {
        return mutations;
    }

    public PendingRevisions pendingRevisions() {
        return pendingRevisions;
    }

    public LocalRecord localRecord() {
        return localRecord;
    }

    public Eviction eviction() {
        return eviction;
    }

    public Reconciliation reconciliation() {
        return reconciliation;
    }

    /** Its own directory, on a disk that has room for what the ledger holds. */
    public Path directory() {
        return settings.dataDir();
    }

    public Removals removals() {
        return removals;
    }

    public DeliveryBarrier deliveries() {
        return deliveries;
    }

    public SourcePin pin() {
        return pin;
    }

    /** Who this ledger is and who ran on it, for history's comparison with its marks. */
    public LedgerLineage lineage() {
        return epochs;
    }

    /**
     * How far this ledger has come: never ahead of its file, whatever crashes; not behind any event that was read from the queue before.
     *
     * @throws ProblemException {@code LEDGER_UNAVAILABLE} when the ledger can't be read
     */
    public LedgerMark mark() {
        return epochs.mark();
    }

    /** Counters kept in memory: cheap enough for every scrape. */
    public LedgerStatus status() {
        LedgerState state = writer.state();
        return new LedgerStatus(
                state.receipts(),
                settings.hotReceiptLimit(),
                state.unprovenReceipts(),
                state.evictedReceipts(),
                state.complete(),
                state.queueEvents(),
                state.queueBytes(),
                settings.queueEventsMax(),
                settings.queueBytesMax(),
                state.quarantined(),
                state.heads(),
                leases.open());
    }

    /** Whether the last write reached the disk: false from a failed one until the next that succeeds. */
    public boolean writable() {
        return !writer.failing();
    }

    /** Finishes what the writer has begun, refuses the rest, and leaves no -wal or -shm file behind. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        // The writer's connection closes last: only a connection that may write can fold the log into the file and
        // remove it.
        readers.close();
        writer.close();
        lock.close();
    }

    LedgerWriter writer() {
        return writer;
    }

    private static void closeQuietly(@Nullable LedgerWriter writer) {
        if (writer != null) {
            writer.close();
        }
    }
}
