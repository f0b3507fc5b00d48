package dev.porcupine.history;

import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.util.function.LongPredicate;
import java.util.function.Supplier;

/** Opens a history. Opening does no network I/O, so that start-up never hangs on a store. */
public final class Histories {

    private Histories() {}

    /**
     * A history on which nothing rests yet.
     *
     * @param registry where probes tell what they do and cost
     */
    public static History clickHouse(ClickHouseSettings settings, MeterRegistry registry) {
        return clickHouse(settings, registry, () -> Reliance.NONE);
    }

    /** A history of a ledger that removes no project. */
    public static History clickHouse(ClickHouseSettings settings, MeterRegistry registry, Supplier<Reliance> reliance) {
        return clickHouse(settings, registry, reliance, number -> false);
    }

    /**
     * @param registry where probes tell what they do and cost
     * @param reliance how much rests on it now; decides whether a missing table may be created, and what removed rows mean
     * @param removed whether the ledger removes, or has removed, the project of this number: deleting it is no finding
     */
    public static History clickHouse(
            ClickHouseSettings settings, MeterRegistry registry, Supplier<Reliance> reliance, LongPredicate removed) {
        return new ClickHouseHistory(
                settings, ClickHouseDeadlines.PRODUCTION, registry, reliance, new OwnRemovals(removed));
    }

    /** {@code history.db} in the data directory: for trying out and for small deployments. */
    public static History embedded(Path dataDir) {
        return new EmbeddedHistory(new EmbeddedFile(dataDir));
    }
}
