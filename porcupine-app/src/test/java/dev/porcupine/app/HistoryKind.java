package dev.porcupine.app;

import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.SharedClickHouse;
import java.util.List;

/** Where the service under test keeps history: what must hold holds for both. */
enum HistoryKind {
    EMBEDDED {
        @Override
        List<String> settings() {
            return List.of();
        }
    },
    CLICKHOUSE {
        @Override
        List<String> settings() {
            return clickHouse(SharedClickHouse.endpoint(), SharedClickHouse.freshDatabase());
        }
    };

    /** Settings of a history of its own. */
    abstract List<String> settings();

    static List<String> clickHouse(ClickHouseEndpoint endpoint, String database) {
        return List.of(
                "--porcupine.clickhouse.url=" + endpoint.url(),
                "--porcupine.clickhouse.database=" + database,
                "--porcupine.clickhouse.username=" + endpoint.user(),
                "--porcupine.clickhouse.password=" + endpoint.password());
    }
}
