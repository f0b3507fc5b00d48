package dev.porcupine.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Stands between a client and an HTTP/1.1 server on loopback and breaks exchanges on cue. It reads each request whole,
 * picks the first rule that matches it, and acts; requests that no rule matches pass. Rules may change at any time and
 * meet the next request, also on a connection that is already open. Every request reaches upstream on a connection of
 * its own, so that upstream's idle connections never add faults of theirs.
 */
public final class FaultProxy implements AutoCloseable {

    private static final int OPEN_CONNECTIONS_MAX = 1_000;
    private static final Duration END_WITHIN = Duration.ofSeconds(5);

    private final @Nullable InetSocketAddress upstream;
    private final int port;
    private final List<Rule> rules = new ArrayList<>();
    private final Set<ProxiedConnection> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong connections = new AtomicLong();
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong faults = new AtomicLong();
    private final CountDownLatch closing = new CountDownLatch(1);
    private @Nullable ServerSocket listener;
    private @Nullable Thread accepting;

    private static final class Rule {
        private final Fault fault;
        private final Predicate<WireRequest> matches;
        private long remaining;

        Rule(Fault fault, Predicate<WireRequest> matches, long remaining) {
            this.fault = fault;
            this.matches = matches;
            this.remaining = remaining;
        }
    }

    private FaultProxy(@Nullable InetSocketAddress upstream) {
        this.upstream = upstream;
        this.port = FreePort.pick();
    }

    /** @param upstream http, host and port */
    public static FaultProxy before(URI upstream) {
        FaultProxy proxy = new FaultProxy(new InetSocketAddress(upstream.getHost(), upstream.getPort()));
        proxy.acceptConnections();
        return proxy;
    }

    /** A server of scripted answers only; a request that no rule matches is reset. */
    public static FaultProxy alone() {
        FaultProxy proxy = new FaultProxy(null);
        proxy.acceptConnections();
        return proxy;
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** Every request from now on; earlier rules win where they match. */
    public FaultProxy always(Fault fault) {
        return always(fault, request -> true);
    }

    public FaultProxy always(Fault fault, Predicate<WireRequest> matches) {
        return next(Long.MAX_VALUE, fault, matches);
    }

    /** The next {@code count} requests. */
    public FaultProxy next(long count, Fault fault) {
        return next(count, fault, request -> true);
    }

    public FaultProxy next(long count, Fault fault, Predicate<WireRequest> matches) {
        synchronized (rules) {
            rules.add(new Rule(fault, matches, count));
        }
        return this;
    }

    /** Drops all rules: everything passes. Exchanges that hang go on hanging. */
    public FaultProxy heal() {
        synchronized (rules) {
            rules.clear();
        }
        return this;
    }

    Fault faultFor(WireRequest request) {
        requests.incrementAndGet();
        synchronized (rules) {
            for (Rule rule : rules) {
                if (rule.remaining > 0 && rule.matches.test(request)) {
                    rule.remaining--;
                    faults.incrementAndGet();
                    return rule.fault;
                }
            }
        }
        return upstream == null ? Fault.reset() : Fault.NONE;
    }

    /** The port is closed from now on, and every open connection is reset. */
    public synchronized FaultProxy refuseConnections() {
        ServerSocket listening = listener;
        listener = null;
        if (listening != null) {
            closeQuietly(listening);
            join(accepting);
        }
        open.forEach(ProxiedConnection::reset);
        return this;
    }

    /** Opens the port again. */
    public synchronized FaultProxy acceptConnections() {
        if (listener != null) {
            return this;
        }
        try {
            ServerSocket listening = new ServerSocket();
            listening.setReuseAddress(true);
            listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            listener = listening;
            accepting = Thread.ofPlatform().daemon().name("fault-proxy-" + port).start(() -> accept(listening));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept(ServerSocket listening) {
        while (true) {
            Socket client;
            try {
                client = listening.accept();
            } catch (SocketException closed) {
                return;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            connections.incrementAndGet();
            ProxiedConnection connection = new ProxiedConnection(this, client);
            open.add(connection);
            if (open.size() > OPEN_CONNECTIONS_MAX) {
                connection.reset();
                open.remove(connection);
                continue;
            }
            Thread.ofVirtual().name("fault-proxy-connection").start(() -> {
                try {
                    connection.serve();
                } finally {
                    open.remove(connection);
                }
            });
        }
    }

    Socket connectUpstream() throws IOException {
        InetSocketAddress address = upstream;
        if (address == null) {
            throw new IOException("this proxy has no upstream");
        }
        Socket socket = new Socket();
        try {
            socket.connect(address, (int) END_WITHIN.toMillis());
            return socket;
        } catch (IOException e) {
            closeQuietly(socket);
            throw e;
        }
    }

    /** False where the proxy closed meanwhile. */
    boolean pause(Duration duration) throws InterruptedException {
        return duration.isZero() || !closing.await(duration.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Connections accepted so far. */
    public long connections() {
        return connections.get();
    }

    public int openConnections() {
        return open.size();
    }

    /** Requests read so far, whatever became of them. */
    public long requests() {
        return requests.get();
    }

    /** Requests that met a rule so far. */
    public long faults() {
        return faults.get();
    }

    @Override
    public synchronized void close() {
        closing.countDown();
        refuseConnections();
    }

    private static void join(@Nullable Thread thread) {
        if (thread == null) {
            return;
        }
        try {
            if (!thread.join(END_WITHIN)) {
                throw new IllegalStateException(thread.getName() + " did not end within " + END_WITHIN);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void closeQuietly(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception ignored) {
            // Being rid of it is all that was wanted.
        }
    }
}
