package dev.porcupine.testkit;

import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The one ClickHouse that all tests of a JVM share, started when first asked for; each test takes a database of its own.
 * {@code PORCUPINE_TEST_CLICKHOUSE_URL} (with {@code _USER}, {@code _PASSWORD}) names one that runs already. Never stop,
 * hang or reconfigure it: that is what {@link ClickHouseServer} is for.
 */
public final class SharedClickHouse {

    private static @Nullable ClickHouseEndpoint endpoint;

    private SharedClickHouse() {}

    /** @throws IllegalStateException where there is no ClickHouse to be had: the test fails */
    public static synchronized ClickHouseEndpoint endpoint() {
        ClickHouseEndpoint known = endpoint;
        if (known == null) {
            known = connect(System.getenv());
            endpoint = known;
        }
        return known;
    }

    /** An empty database on the shared server. */
    public static String freshDatabase() {
        return endpoint().freshDatabase();
    }

    static ClickHouseEndpoint connect(Map<String, String> environment) {
        String url = environment.getOrDefault("PORCUPINE_TEST_CLICKHOUSE_URL", "");
        if (url.isEmpty()) {
            // Ends with this JVM: by its hook, and at the latest when the pipe to it breaks.
            return ClickHouseServer.start().endpoint();
        }
        ClickHouseEndpoint external = new ClickHouseEndpoint(
                URI.create(url),
                environment.getOrDefault("PORCUPINE_TEST_CLICKHOUSE_USER", "default"),
                environment.getOrDefault("PORCUPINE_TEST_CLICKHOUSE_PASSWORD", ""));
        external.query("select 1");
        return external;
    }
}
