package dev.porcupine.testkit;

import java.net.URI;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/**
 * A real ClickHouse of the test's own, which may be stopped, killed, hung and restarted. Its port and, until
 * {@link #close}, its data survive all of that. Tests that only need tables use {@link SharedClickHouse}.
 *
 * <p>Where neither the engine is installed nor Docker answers, starting one throws: a test without its ClickHouse fails,
 * it is never skipped.
 */
public final class ClickHouseServer implements AutoCloseable {

    private static final Duration UP_WITHIN = Duration.ofSeconds(60);
    private static final Duration ASK_EVERY = Duration.ofMillis(50);

    private static final Duration LOOK_EVERY = Duration.ofMillis(500);

    /** Only a chosen port may turn out taken between choosing and listening. */
    private static final int PORT_ATTEMPTS_MAX = 3;

    private final ServerBody body;
    private final Thread endWithThisProcess;
    private final boolean keepsData;
    private ClickHouseOptions options;
    private boolean closed;

    private ClickHouseServer(ServerBody body, ClickHouseOptions options) {
        this.body = body;
        this.keepsData = options.folder() != null;
        this.options = options;
        this.endWithThisProcess = new Thread(this::end, "clickhouse-end");
    }

    public static ClickHouseServer start() {
        return start(ClickHouseOptions.defaults());
    }

    /** Returns when it answers queries. */
    public static ClickHouseServer start(ClickHouseOptions options) {
        for (int attempt = 1; ; attempt++) {
            ClickHouseServer server = new ClickHouseServer(ServerBody.choose(options, System.getenv()), options);
            Runtime.getRuntime().addShutdownHook(server.endWithThisProcess);
            try {
                server.launch();
                return server;
            } catch (RuntimeException e) {
                boolean portTaken = server.body.logTail().contains("Address already in use");
                server.abandon();
                Runtime.getRuntime().removeShutdownHook(server.endWithThisProcess);
                if (!portTaken || options.port() != 0 || attempt == PORT_ATTEMPTS_MAX) {
                    throw e;
                }
            }
        }
    }

    private void launch() {
        String startId = UUID.randomUUID().toString();
        body.start(options, startId);
        long deadline = System.nanoTime() + UP_WITHIN.toNanos();
        String lastAnswer = "none";
        while (System.nanoTime() < deadline) {
            if (!body.alive()) {
                throw new IllegalStateException("ClickHouse ended while starting; its log ends: " + body.logTail());
            }
            try {
                // Not just /ping: another server may have the port.
                lastAnswer =
                        endpoint().query("select getMacro('" + ServerConfig.START_MACRO + "')", Duration.ofSeconds(5));
                if (lastAnswer.equals(startId)) {
                    return;
                }
            } catch (ClickHouseQueryException e) {
                lastAnswer = String.valueOf(e.getMessage());
            }
            LockSupport.parkNanos(ASK_EVERY.toNanos());
        }
        body.kill();
        throw new IllegalStateException("ClickHouse did not answer at " + url() + " within " + UP_WITHIN
                + " and was killed; last answer: " + lastAnswer + "; its log ends: " + body.logTail());
    }

    public ClickHouseEndpoint endpoint() {
        return new ClickHouseEndpoint(
                url(), options.operator().name(), options.operator().password());
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + body.port());
    }

    public int port() {
        return body.port();
    }

    public String user() {
        return options.operator().name();
    }

    public String password() {
        return options.operator().password();
    }

    /** As the operator; see {@link ClickHouseEndpoint#query(String)}. */
    public String query(String sql) {
        return endpoint().query(sql);
    }

    public String freshDatabase() {
        return endpoint().freshDatabase();
    }

    /** Ends it in good order; a suspended one is resumed first. */
    public synchronized void stop() {
        body.stop();
    }

    /** Ends it as kill -9 does. */
    public synchronized void kill() {
        body.kill();
    }

    /** Hangs it (SIGSTOP): the port takes connections and nothing answers. */
    public synchronized void suspend() {
        body.suspend();
    }

    public synchronized void resume() {
        body.resume();
    }

    /** Starts it again over its data, on its port, after a stop where it still runs. Returns when it answers. */
    public synchronized void restart() {
        requireOpen();
        body.stop();
        launch();
    }

    /**
     * Restarts it with other options; folder and port stay what they were. The only way to change users and profiles: the
     * engine reads them once.
     */
    public synchronized void restart(ClickHouseOptions other) {
        requireOpen();
        body.stop();
        options = other;
        launch();
    }

    public boolean alive() {
        return body.alive();
    }

    /** Returns when it ended, whatever the reason. */
    void awaitEnd() throws InterruptedException {
        while (body.alive()) {
            Thread.sleep(LOOK_EVERY);
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("this ClickHouse was closed");
        }
    }

    /** Ends it; removes its data unless the options named the folder. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            end();
        } finally {
            try {
                Runtime.getRuntime().removeShutdownHook(endWithThisProcess);
            } catch (IllegalStateException shuttingDown) {
                // The hook runs and finds nothing left to do.
            }
        }
    }

    private void end() {
        try {
            if (keepsData) {
                body.stop();
            }
        } finally {
            abandon();
        }
    }

    private void abandon() {
        body.kill();
        body.discard();
    }
}
