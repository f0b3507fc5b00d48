package dev.porcupine.ingest;

import dev.porcupine.history.ClickHouseSettings;
import dev.porcupine.history.Histories;
import dev.porcupine.history.History;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.SharedClickHouse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;

class ClickHouseMutationRaceTest extends MutationRaceContract {

    @Override
    History openHistory(Path dir) {
        ClickHouseEndpoint server = SharedClickHouse.endpoint();
        return Histories.clickHouse(
                new ClickHouseSettings(
                        server.url(),
                        SharedClickHouse.freshDatabase(),
                        "events",
                        server.user(),
                        server.password(),
                        null,
                        null,
                        null),
                new SimpleMeterRegistry());
    }
}
