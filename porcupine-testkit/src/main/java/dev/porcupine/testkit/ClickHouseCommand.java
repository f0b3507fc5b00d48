package dev.porcupine.testkit;

import java.nio.file.Path;

/** What {@code bin/clickhouse} runs: the tests' ClickHouse on a fixed port, until it is interrupted. */
public final class ClickHouseCommand {

    private ClickHouseCommand() {}

    /** @param arguments port, data folder */
    public static void main(String[] arguments) throws InterruptedException {
        int port = Integer.parseInt(arguments[0]);
        Path folder = Path.of(arguments[1]);
        ClickHouseServer server;
        try {
            server = ClickHouseServer.start(
                    ClickHouseOptions.defaults().withPort(port).withFolder(folder));
            server.query("create database if not exists porcupine");
        } catch (IllegalStateException | ClickHouseQueryException refused) {
            System.err.println("clickhouse: " + refused.getMessage());
            System.exit(1);
            return;
        }
        System.out.println("""
                ClickHouse %s answers at %s, data in %s. Ctrl-C stops it.

                user      %s
                password  %s

                To start Porcupine on it:
                  export PORCUPINE_CLICKHOUSE_URL=%s
                  export PORCUPINE_CLICKHOUSE_USERNAME=%s
                  export PORCUPINE_CLICKHOUSE_PASSWORD=%s
                and, to move old events to cold storage:
                  export PORCUPINE_CLICKHOUSE_STORAGE_POLICY=%s
                  export PORCUPINE_CLICKHOUSE_COLD_VOLUME=%s
                  export PORCUPINE_CLICKHOUSE_COLD_AFTER=30d
                """.formatted(
                        server.query("select version()"),
                        server.url(),
                        folder,
                        server.user(),
                        server.password(),
                        server.url(),
                        server.user(),
                        server.password(),
                        ClickHouseOptions.STORAGE_POLICY,
                        ClickHouseOptions.COLD_VOLUME));
        server.awaitEnd();
        System.err.println("clickhouse: it ended by itself; see " + folder.resolve("engine.log"));
        System.exit(1);
    }
}
