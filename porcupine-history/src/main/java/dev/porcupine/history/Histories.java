package dev.porcupine.history;

import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;

/** Opens a history. Opening does no network I/O, so that start-up never hangs on a store. */
public final class Histories {

    private Histories() {}

    /**
     * @param registry where probes tell what they do and cost
     */
    public static History clickHouse(ClickHouseSettings settings, MeterRegistry registry) {
        return new ClickHouseHistory(settings, ClickHouseDeadlines.PRODUCTION, registry);
    }

    /** {@code history.db} in the data directory: for trying out and for small deployments. */
    public static History embedded(Path dataDir) {
        return new EmbeddedHistory(new EmbeddedFile(dataDir));
    }
}
