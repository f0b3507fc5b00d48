package dev.porcupine.ingest;

import static dev.porcupine.ingest.TestService.head;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Bodies as no HTTP client library sends them. */
class SlowAndLargeBodiesTest {

    private static final String ONE =
            "{\"api_key\":\"phc_demo\",\"event\":\"x\",\"distinct_id\":\"u1\",\"uuid\":\"0190f000-0000-7000-8000-000000000001\"}";

    private static TestService service;

    @BeforeAll
    static void start() {
        service = new TestService(TestService.InMemory.class, "--server.tomcat.threads.max=4");
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    private static void nothingIsHeld() {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() ->
                        assertThat(service.bean(BodyBudget.class).bytesInUse()).isZero());
    }

    @Test
    void a_body_that_stalls_is_408_and_the_connection_is_closed() {
        long started = System.nanoTime();
        String answer = service.raw(
                head("POST", "/e/", "Content-Length: 1000", "Origin: https://a.example"),
                "{\"a".getBytes(StandardCharsets.UTF_8));
        assertThat(answer)
                .startsWith("HTTP/1.1 408")
                .contains("Connection: close")
                .contains("Access-Control-Allow-Origin: https://a.example")
                .contains("\"code\":\"body_too_slow\"");
        assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(Duration.ofSeconds(8));
        nothingIsHeld();
    }

    @Test
    void a_body_that_drips_is_ended_at_the_same_deadline() throws IOException {
        long started = System.nanoTime();
        try (Socket socket = service.connect()) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(head("POST", "/e/", "Content-Length: 100000"));
            Thread drip = Thread.ofVirtual().start(() -> drip(socket));
            String answer = new String(socket.getInputStream().readNBytes(12), StandardCharsets.UTF_8);
            drip.interrupt();
            assertThat(answer).isEqualTo("HTTP/1.1 408");
        } catch (SocketException e) {
            // A client that goes on sending may see the connection reset before it has read the answer.
            assertThat(e).hasMessageContaining("reset");
        }
        assertThat(Duration.ofNanos(System.nanoTime() - started))
                .isBetween(TestService.LIMITS.bodyDeadline(), Duration.ofSeconds(10));
        nothingIsHeld();
    }

    private static void drip(Socket socket) {
        try {
            while (!Thread.interrupted()) {
                socket.getOutputStream().write('a');
                LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            }
        } catch (IOException e) {
            // the service has closed the connection
        }
    }

    @Test
    void many_slow_clients_do_not_keep_others_out() throws IOException {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 50; i++) {
                Socket socket = service.connect();
                slow.add(socket);
                socket.getOutputStream().write(head("POST", "/batch/", "Content-Length: 1000"));
                socket.getOutputStream().write('{');
                socket.getOutputStream().flush();
            }
            long started = System.nanoTime();
            assertThat(service.post("/e/", ONE).statusCode()).isEqualTo(200);
            assertThat(Duration.ofNanos(System.nanoTime() - started))
                    .as("with four threads, and fifty clients that send nothing more")
                    .isLessThan(Duration.ofSeconds(2));
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
        nothingIsHeld();
    }

    @Test
    void a_body_above_the_limit_is_413_and_heard() {
        byte[] large = new byte[TestService.LIMITS.wireBytesMax() + 1];
        String answer = service.raw(head("POST", "/e/", "Content-Length: " + large.length, "Connection: close"), large);
        assertThat(answer).startsWith("HTTP/1.1 413").contains("\"code\":\"body_too_large\"");
        nothingIsHeld();
    }

    @Test
    void a_chunked_body_above_the_limit_is_413() {
        byte[] chunk = new byte[0x10000];
        List<byte[]> parts = new ArrayList<>();
        parts.add(head("POST", "/e/", "Transfer-Encoding: chunked", "Connection: close"));
        for (int i = 0; i < 6; i++) {
            parts.add("10000\r\n".getBytes(StandardCharsets.UTF_8));
            parts.add(chunk);
            parts.add("\r\n".getBytes(StandardCharsets.UTF_8));
        }
        parts.add("0\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        assertThat(service.raw(parts.toArray(byte[][]::new))).startsWith("HTTP/1.1 413");
        nothingIsHeld();
    }

    @Test
    void only_what_has_arrived_is_held_in_memory() throws IOException {
        try (Socket socket = service.connect()) {
            socket.getOutputStream().write(head("POST", "/e/", "Content-Length: " + TestService.LIMITS.wireBytesMax()));
            socket.getOutputStream().write(new byte[60_000]);
            socket.getOutputStream().flush();
            await().untilAsserted(() ->
                    assertThat(service.bean(BodyBudget.class).bytesInUse()).isEqualTo(64 * 1024));
        }
        nothingIsHeld();
    }

    @Test
    void a_body_far_above_the_limit_is_not_read_to_its_end() {
        // No client library sends on after the answer; what matters here is that the service stops.
        byte[] head = head("POST", "/e/", "Content-Length: 2000000000");
        byte[] part = new byte[4 * TestService.LIMITS.wireBytesMax()];
        try {
            assertThat(service.raw(head, part)).startsWith("HTTP/1.1 413");
        } catch (UncheckedIOException e) {
            assertThat(e).hasMessageMatching(".*(reset|Broken pipe|abort).*");
        }
        nothingIsHeld();
    }

    @Test
    void a_client_that_leaves_is_counted_and_forgotten() throws IOException {
        double before = aborted();
        try (Socket socket = service.connect()) {
            socket.getOutputStream().write(head("POST", "/e/", "Content-Length: 1000"));
            socket.getOutputStream().write('{');
            socket.getOutputStream().flush();
        }
        await().untilAsserted(() -> assertThat(aborted() - before).isEqualTo(1));
        nothingIsHeld();
    }

    private static double aborted() {
        return service.bean(MeterRegistry.class)
                .get("porcupine.capture.requests")
                .tag("answer", "aborted")
                .counter()
                .count();
    }

    @Test
    void broken_chunks_are_refused() {
        String answer = service.raw(
                head("POST", "/e/", "Transfer-Encoding: chunked", "Connection: close"),
                "zz\r\n{}\r\n0\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        assertThat(answer).startsWith("HTTP/1.1 400").contains("\"code\":\"body_unreadable\"");
        nothingIsHeld();
    }

    @Test
    void requests_follow_each_other_on_one_connection() {
        byte[] body = ONE.getBytes(StandardCharsets.UTF_8);
        byte[] head = head("POST", "/e/", "Content-Length: " + body.length);
        byte[] last = head("POST", "/e/", "Content-Length: " + body.length, "Connection: close");
        String answers = service.raw(head, body, head, body, last, body);
        assertThat(answers.split("HTTP/1.1 200", -1)).hasSize(4);
    }

    @Test
    void a_client_that_asks_before_it_sends_is_answered_without_its_body() {
        String answer = service.raw(
                head("POST", "/e/", "Content-Length: 5", "Expect: 100-continue", "Connection: close"),
                "{\"a\":".getBytes(StandardCharsets.UTF_8));
        assertThat(answer).contains("HTTP/1.1 100").contains("HTTP/1.1 400");
        nothingIsHeld();
    }
}
