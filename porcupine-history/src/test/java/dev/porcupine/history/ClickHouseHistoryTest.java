package dev.porcupine.history;

import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.SharedClickHouse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The contract on the real ClickHouse, and what only it can do wrong. */
class ClickHouseHistoryTest extends HistoryContract {

    private final ClickHouseEndpoint server = SharedClickHouse.endpoint();
    private final String database = server.freshDatabase();
    private History history;

    @BeforeEach
    void open() {
        history = Histories.clickHouse(
                settings(null), new SimpleMeterRegistry(), () -> Reliance.NONE, null, number -> true);
    }

    @AfterEach
    void close() {
        history.close();
        server.query("drop database if exists " + database);
    }

    @Override
    History history() {
        return history;
    }

    private ClickHouseSettings settings(@Nullable Duration coldAfter) {
        return new ClickHouseSettings(
                server.url(), database, "events", server.user(), server.password(), null, null, coldAfter);
    }
}
