package dev.porcupine.testkit;

import java.util.Map;

/** The running thing behind a {@link ClickHouseServer}: a child process or a container. Callers serialise the calls. */
sealed interface ServerBody permits EngineBody, ContainerBody {

    /** Starts it over the data that is there. Returns without waiting until it answers. */
    void start(ClickHouseOptions options, String startId);

    /** The port on loopback; known from the first start on, the same over restarts. */
    int port();

    boolean alive();

    /** Ends it in good order. */
    void stop();

    /** Ends it as kill -9 does. */
    void kill();

    /** Freezes it: its sockets stay open and nothing answers. */
    void suspend();

    void resume();

    /** The end of its log, for failure messages. */
    String logTail();

    /** After kill or stop: removes what it kept, unless the test named the folder. */
    void discard();

    /** The engine where it is installed, else a container where Docker answers, else a failure: never a skip. */
    static ServerBody choose(ClickHouseOptions options, Map<String, String> environment) {
        return EngineLocation.library(environment)
                .<ServerBody>map(library -> new EngineBody(library, options))
                .or(() -> ContainerBody.ifDockerAnswers(options))
                .orElseThrow(() -> new IllegalStateException(
                        """
                        no ClickHouse for this test: the engine %s is not in %s and no Docker engine answers. \
                        Run bin/install-test-engine once on this machine (Linux on x86-64, needs npm), or start \
                        Docker. Tests on the shared server also take PORCUPINE_TEST_CLICKHOUSE_URL.\
                        """.formatted(EngineLocation.version(), EngineLocation.folder(environment))));
    }
}
