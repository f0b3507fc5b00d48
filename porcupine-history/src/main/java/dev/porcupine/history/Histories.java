package dev.porcupine.history;

import dev.porcupine.schema.LedgerLineage;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Opens a history. Opening does no network I/O, so that start-up never hangs on a store. */
public final class Histories {

    private Histories() {}

    /**
     * A history on which nothing rests, and which is compared with no ledger.
     *
     * @param registry where probes tell what they do and cost
     */
    public static History clickHouse(ClickHouseSettings settings, MeterRegistry registry) {
        return clickHouse(settings, registry, () -> Reliance.NONE, null, number -> false);
    }

    /**
     * @param registry where probes tell what they do and cost
     * @param reliance how much rests on it now; decides whether a missing table may be created, and what removed rows mean
     * @param ledger whose history it is; compared with the marks that history keeps of it; null compares with none
     * @param removed whether the ledger removes, or has removed, the project of this number: deleting it is no finding
     */
    public static History clickHouse(
            ClickHouseSettings settings,
            MeterRegistry registry,
            Supplier<Reliance> reliance,
            @Nullable LedgerLineage ledger,
            LongPredicate removed) {
        return new ClickHouseHistory(
                settings, ClickHouseDeadlines.PRODUCTION, registry, reliance, ledger, new OwnRemovals(removed));
    }

    /** {@code history.db} in the data directory, compared with no ledger. */
    public static History embedded(Path dataDir) {
        return new EmbeddedHistory(new EmbeddedFile(dataDir), null);
    }

    /**
     * {@code history.db} in the data directory: for trying out and for small deployments.
     *
     * @param ledger as above
     */
    public static History embedded(Path dataDir, LedgerLineage ledger) {
        return new EmbeddedHistory(new EmbeddedFile(dataDir), ledger);
    }
}
