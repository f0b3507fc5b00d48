package dev.porcupine.history;

import java.nio.file.Path;

/** Opens a history. Opening does no network I/O, so that start-up never hangs on a store. */
public final class Histories {

    private Histories() {}

    public static History clickHouse(ClickHouseSettings settings) {
        return new ClickHouseHistory(settings, ClickHouseDeadlines.PRODUCTION);
    }

    /** {@code history.db} in the data directory: for trying out and for small deployments. */
    public static History embedded(Path dataDir) {
        return new EmbeddedHistory(new EmbeddedFile(dataDir));
    }
}
