package dev.porcupine.testkit;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One client's connection to a {@link FaultProxy}: exchange after exchange, until a fault or the client ends it. */
final class ProxiedConnection {

    /** For what upstream says of a request that was cut. */
    private static final Duration END_PATIENCE = Duration.ofSeconds(2);

    /** No test waits longer; what hangs is thrown away then. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final FaultProxy proxy;
    private final Socket client;
    private volatile @Nullable Socket upstream;

    ProxiedConnection(FaultProxy proxy, Socket client) {
        this.proxy = proxy;
        this.client = client;
    }

    void serve() {
        try (client) {
            client.setTcpNoDelay(true);
            client.setSoTimeout((int) PATIENCE.toMillis());
            InputStream in = new BufferedInputStream(client.getInputStream());
            boolean again = true;
            while (again) {
                WireMessage request = WireMessage.readRequest(in, this::sendContinue);
                again = request != null && exchange(new WireRequest(request), in);
            }
        } catch (IOException broken) {
            reset();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            reset();
        }
    }

    private void sendContinue() throws IOException {
        client.getOutputStream().write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    /** Whether the connection may carry another exchange. */
    private boolean exchange(WireRequest request, InputStream in) throws IOException, InterruptedException {
        Fault fault = proxy.faultFor(request);
        if (!proxy.pause(fault.delay())) {
            return false;
        }
        WireMessage answer = askUpstream(request, fault);
        byte[] wire = wireFor(answer, fault.rewrite());
        OutputStream out = client.getOutputStream();
        switch (fault.delivery()) {
            case Fault.Delivery.Whole() -> {
                out.write(wire);
                return !saysClose(request.message()) && (fault.rewrite() != null || !endsConnection(answer));
            }
            case Fault.Delivery.Truncated(int bytes) -> out.write(wire, 0, Math.min(bytes, wire.length));
            case Fault.Delivery.Dripped(int bytesEach, Duration pause) -> drip(out, wire, bytesEach, pause);
            case Fault.Delivery.Reset() -> reset();
            case Fault.Delivery.Hang() -> in.transferTo(OutputStream.nullOutputStream());
        }
        return false;
    }

    private @Nullable WireMessage askUpstream(WireRequest request, Fault fault) throws IOException {
        byte[] wire = request.message().wireWithoutExpectation();
        if (fault.requestBytes() == 0) {
            return null;
        }
        try (Socket socket = proxy.connectUpstream()) {
            upstream = socket;
            socket.setSoTimeout((int) PATIENCE.toMillis());
            int bytes = Math.min(fault.requestBytes(), wire.length);
            socket.getOutputStream().write(wire, 0, bytes);
            if (bytes < wire.length) {
                // Its complaint is waited for and thrown away: ClickHouse aborts, all of it, when it can't write an
                // error
                // about a body that was cut to a connection that is gone.
                socket.shutdownOutput();
                readToEnd(socket);
                return null;
            }
            return WireMessage.readAnswer(new BufferedInputStream(socket.getInputStream()), request.method());
        } finally {
            upstream = null;
        }
    }

    private static void readToEnd(Socket socket) {
        try {
            socket.setSoTimeout((int) END_PATIENCE.toMillis());
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException silentOrGone) {
            // Said enough.
        }
    }

    private static byte[] wireFor(@Nullable WireMessage answer, @Nullable UnaryOperator<@Nullable WireAnswer> rewrite) {
        if (rewrite != null) {
            WireAnswer made = rewrite.apply(answer == null ? null : WireAnswer.of(answer));
            return made == null ? new byte[0] : made.wire();
        }
        return answer == null ? new byte[0] : answer.wire();
    }

    private void drip(OutputStream out, byte[] wire, int bytesEach, Duration pause)
            throws IOException, InterruptedException {
        for (int from = 0; from < wire.length; from += bytesEach) {
            out.write(Arrays.copyOfRange(wire, from, Math.min(from + bytesEach, wire.length)));
            if (!proxy.pause(pause)) {
                return;
            }
        }
    }

    private static boolean saysClose(WireMessage message) {
        return message.header("connection")
                .map(value -> value.toLowerCase(Locale.ROOT).contains("close"))
                .orElse(false);
    }

    /** An answer without framing ends where its connection does. */
    private static boolean endsConnection(@Nullable WireMessage answer) {
        return answer == null
                || saysClose(answer)
                || (answer.header("content-length").isEmpty()
                        && answer.header("transfer-encoding").isEmpty()
                        && answer.status() != 204
                        && answer.status() != 304);
    }

    /** RST to the client; upstream is dropped too. */
    void reset() {
        Socket asking = upstream;
        if (asking != null) {
            FaultProxy.closeQuietly(asking);
        }
        try {
            client.setSoLinger(true, 0);
        } catch (IOException alreadyClosed) {
            // Then there is nothing to reset.
        }
        FaultProxy.closeQuietly(client);
    }
}
