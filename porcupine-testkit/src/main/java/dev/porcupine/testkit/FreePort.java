package dev.porcupine.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A free loopback port below the range that the system hands to outgoing connections: a server that restarts on its
 * old port must not find it taken by some client's socket.
 */
final class FreePort {

    private static final int FIRST = 20_000;
    private static final int LAST = 32_000;
    private static final int ATTEMPTS_MAX = 100;

    private FreePort() {}

    static int pick() {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return port;
            } catch (IOException taken) {
                // The next one, then.
            }
        }
        throw new IllegalStateException("no free port among " + ATTEMPTS_MAX + " between " + FIRST + " and " + LAST);
    }
}
