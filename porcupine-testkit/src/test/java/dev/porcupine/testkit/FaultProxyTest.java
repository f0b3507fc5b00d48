package dev.porcupine.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultProxyTest {

    private static final Duration SHORT = Duration.ofMillis(300);

    private final AtomicInteger served = new AtomicInteger();
    private HttpServer upstream;
    private FaultProxy proxy;
    private HttpClient client;

    @BeforeEach
    void start() throws IOException {
        upstream = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        upstream.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        upstream.createContext("/", exchange -> {
            byte[] request = exchange.getRequestBody().readAllBytes();
            served.incrementAndGet();
            byte[] answer = ("echo " + new String(request, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
            boolean chunked = exchange.getRequestURI().getPath().equals("/chunked");
            exchange.sendResponseHeaders(200, chunked ? 0 : answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        upstream.start();
        proxy = FaultProxy.before(
                URI.create("http://127.0.0.1:" + upstream.getAddress().getPort()));
        client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    @AfterEach
    void stop() {
        proxy.close();
        await().untilAsserted(() -> assertThat(proxy.openConnections()).isZero());
        client.shutdownNow();
        upstream.stop(0);
    }

    @Test
    void without_a_rule_everything_passes_on_a_connection_that_is_kept() throws Exception {
        assertThat(post("/a", "one").body()).isEqualTo("echo one");
        assertThat(post("/chunked", "two").body()).isEqualTo("echo two");
        assertThat(post("/a", "three").body()).isEqualTo("echo three");

        assertThat(proxy.connections()).isEqualTo(1);
        assertThat(proxy.requests()).isEqualTo(3);
        assertThat(proxy.faults()).isZero();
    }

    @Test
    void a_chunked_request_that_expects_a_continue_passes() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(proxy.url().resolve("/a"))
                .expectContinue(true)
                .POST(HttpRequest.BodyPublishers.fromPublisher(HttpRequest.BodyPublishers.ofString("streamed")))
                .build();

        assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).body())
                .isEqualTo("echo streamed");
    }

    @Test
    void a_refusing_proxy_has_a_closed_port_and_opens_it_again() throws Exception {
        post("/a", "one");
        proxy.refuseConnections();
        assertThat(proxy.openConnections()).isLessThanOrEqualTo(1);
        assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);

        proxy.acceptConnections();
        assertThat(post("/a", "two").body()).isEqualTo("echo two");
    }

    @Test
    void a_hang_gives_no_answer_and_reaches_nobody() {
        proxy.always(Fault.hang());

        assertThatThrownBy(() -> post("/a", "one")).isInstanceOf(HttpTimeoutException.class);
        assertThat(served).hasValue(0);
    }

    @Test
    void a_hang_after_upstream_gives_no_answer_to_work_that_was_done() {
        proxy.always(Fault.hangAfterUpstream());

        assertThatThrownBy(() -> post("/a", "one")).isInstanceOf(HttpTimeoutException.class);
        assertThat(served).hasValue(1);
    }

    @Test
    void a_reset_reaches_nobody() {
        proxy.always(Fault.reset());

        assertThatThrownBy(() -> rawPost("one"))
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("reset");
        assertThat(served).hasValue(0);
    }

    @Test
    void a_cut_request_is_never_whole_for_upstream() {
        proxy.always(Fault.cutRequest(60));

        assertThatThrownBy(() -> rawPost("0123456789".repeat(100)))
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("reset");
        assertThat(served).hasValue(0);
    }

    @Test
    void a_cut_after_upstream_hides_work_that_was_done() {
        proxy.always(Fault.cutAfterUpstream());

        assertThatThrownBy(() -> rawPost("one"))
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("reset");
        assertThat(served).hasValue(1);
    }

    @Test
    void a_truncated_answer_ends_in_its_middle() throws Exception {
        String whole = rawPost("one");
        proxy.always(Fault.truncateAnswer(whole.length() - 2));

        assertThat(rawPost("one")).isEqualTo(whole.substring(0, whole.length() - 2));
        assertThatThrownBy(() -> post("/a", "one")).isInstanceOf(IOException.class);
    }

    @Test
    void a_dripping_answer_arrives_whole_but_late() throws Exception {
        String whole = rawPost("one");
        proxy.always(Fault.dripAnswer(10, Duration.ofMillis(5)));

        long before = System.nanoTime();
        assertThat(rawPost("one")).isEqualTo(whole);
        assertThat(Duration.ofNanos(System.nanoTime() - before))
                .isGreaterThanOrEqualTo(Duration.ofMillis(5L * (whole.length() / 10)));
    }

    @Test
    void a_delay_comes_before_upstream() throws Exception {
        proxy.always(Fault.delay(SHORT.multipliedBy(3)));

        assertThatThrownBy(() -> post("/a", "one")).isInstanceOf(HttpTimeoutException.class);
        proxy.heal();
        assertThat(post("/a", "two").body()).isEqualTo("echo two");
    }

    @Test
    void a_scripted_answer_replaces_upstreams_with_and_without_reaching_it() throws Exception {
        proxy.next(1, Fault.answer(WireAnswer.of(200, "text/html", "<html>proxy login</html>")))
                .next(
                        1,
                        Fault.answer(
                                WireAnswer.of(302, "text/plain", "").withHeader("Location", "http://127.0.0.1:1/")))
                .next(
                        1,
                        Fault.answerAfterUpstream(
                                WireAnswer.of(503, "text/plain", "busy").withHeader("Retry-After", "7")));

        assertThat(post("/a", "one").body()).isEqualTo("<html>proxy login</html>");
        assertThat(post("/a", "two").statusCode()).isEqualTo(302);
        assertThat(served).hasValue(0);
        HttpResponse<String> busy = post("/a", "three");
        assertThat(busy.statusCode()).isEqualTo(503);
        assertThat(busy.headers().firstValue("Retry-After")).contains("7");
        assertThat(served).hasValue(1);
        assertThat(post("/a", "four").body()).isEqualTo("echo four");
        assertThat(proxy.connections()).isEqualTo(1);
    }

    @Test
    void a_rewritten_answer_is_made_of_upstreams() throws Exception {
        proxy.always(Fault.rewrite(answer -> answer.withBody(answer.bodyText().toUpperCase(Locale.ROOT))));

        assertThat(post("/chunked", "one").body()).isEqualTo("ECHO ONE");
    }

    @Test
    void a_rule_meets_only_the_requests_it_names_and_as_many_as_it_says() throws Exception {
        proxy.next(
                1,
                Fault.answer(WireAnswer.of(500, "text/plain", "no")),
                request -> request.method().equals("POST") && request.mentions("poison"));

        assertThat(post("/a", "clean").statusCode()).isEqualTo(200);
        assertThat(post("/a", "poison").statusCode()).isEqualTo(500);
        assertThat(post("/a", "poison").statusCode()).isEqualTo(200);
        assertThat(proxy.faults()).isEqualTo(1);
    }

    @Test
    void a_proxy_alone_serves_scripted_answers() throws Exception {
        try (FaultProxy alone = FaultProxy.alone()) {
            alone.always(Fault.answer(WireAnswer.of(200, "application/json", "{\"data\":[")));
            HttpRequest request = HttpRequest.newBuilder(alone.url()).build();

            assertThat(client.send(request, HttpResponse.BodyHandlers.ofString())
                            .body())
                    .isEqualTo("{\"data\":[");
        }
    }

    @Test
    void closing_ends_an_exchange_that_hangs() throws Exception {
        proxy.always(Fault.hang());
        try (Socket waiting = connect()) {
            send(waiting, "one");
            await().untilAsserted(() -> assertThat(proxy.faults()).isEqualTo(1));

            proxy.close();

            assertThatThrownBy(() -> waiting.getInputStream().read())
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("reset");
        }
    }

    @Test
    void an_insert_cut_after_commit_is_in_the_table() {
        ClickHouseEndpoint direct = SharedClickHouse.endpoint();
        String table = direct.freshDatabase() + ".t";
        direct.query("create table " + table + " (n UInt64) engine = MergeTree order by n");
        try (FaultProxy before = FaultProxy.before(direct.url())) {
            ClickHouseEndpoint proxied = new ClickHouseEndpoint(before.url(), direct.user(), direct.password());
            before.next(1, Fault.cutAfterUpstream(), request -> request.mentions("insert into"));

            assertThatThrownBy(() -> proxied.query("insert into " + table + " values (1)"))
                    .isInstanceOfSatisfying(
                            ClickHouseQueryException.class,
                            unknown -> assertThat(unknown.code()).isZero());
            assertThat(proxied.query("select count() from " + table)).isEqualTo("1");
        }
    }

    private HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(proxy.url().resolve(path))
                .timeout(SHORT.multipliedBy(2))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.url().getPort());
        socket.setSoTimeout(5_000);
        return socket;
    }

    private static void send(Socket socket, String body) throws IOException {
        String request = "POST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: " + body.length()
                + "\r\n\r\n" + body;
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    }

    private String rawPost(String body) throws IOException {
        try (Socket socket = connect()) {
            send(socket, body);
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }
}
