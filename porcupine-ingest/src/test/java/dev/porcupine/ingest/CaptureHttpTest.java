package dev.porcupine.ingest;

import static dev.porcupine.ingest.CaptureFixture.gzip;
import static dev.porcupine.ingest.CaptureFixture.ok;
import static dev.porcupine.ingest.CaptureFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemJson;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CaptureHttpTest {

    private static final List<String> CAPTURE_PATHS =
            List.of("/batch", "/e", "/i/v0/e", "/capture", "/track", "/engage", "/i/v0/ai/batch");
    private static final AtomicInteger EVENTS = new AtomicInteger();

    private static TestService service;
    private static MemoryDoor door;

    @BeforeAll
    static void start() {
        service = new TestService(TestService.InMemory.class);
        door = service.bean(MemoryDoor.class);
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @BeforeEach
    void empty() {
        door.clear();
    }

    private static String single() {
        return String.format(
                "{\"api_key\":\"phc_demo\",\"event\":\"x\",\"distinct_id\":\"u1\","
                        + "\"uuid\":\"0190f000-0000-7000-8000-%012x\"}",
                EVENTS.incrementAndGet());
    }

    @Test
    void every_capture_path_takes_every_shape_with_and_without_a_slash() {
        for (String path : CAPTURE_PATHS) {
            for (String slash : List.of("", "/")) {
                for (String body : List.of(
                        single(), "[" + single() + "]", "{\"token\":\"phc_demo\",\"batch\":[" + single() + "]}")) {
                    HttpResponse<String> answer = service.post(path + slash, body);
                    assertThat(answer.statusCode()).as(path + slash).isEqualTo(200);
                    assertThat(answer.body()).isEqualTo(ok(1, 0, 0));
                    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
                }
            }
        }
    }

    @Test
    void a_form_reaches_the_decoder_whole_whatever_its_content_type() {
        for (String type : List.of(
                "application/x-www-form-urlencoded",
                "application/x-www-form-urlencoded; charset=UTF-8",
                "multipart/form-data; boundary=x",
                "text/plain",
                "image/png",
                "nonsense")) {
            HttpResponse<String> answer = service.send(service.request("/e/?compression=base64")
                    .header("Content-Type", type)
                    .POST(BodyPublishers.ofString("data="
                            + Base64.getEncoder().encodeToString(utf8(single())).replace("=", "%3D"))));
            assertThat(answer.body()).as(type).isEqualTo(ok(1, 0, 0));
        }
    }

    @Test
    void compressed_bodies_are_read_with_and_without_a_length() {
        byte[] body = gzip(utf8(single()));
        assertThat(service.send(service.request("/batch")
                                .header("Content-Encoding", "gzip")
                                .POST(BodyPublishers.ofByteArray(body)))
                        .body())
                .isEqualTo(ok(1, 0, 0));
        assertThat(service.send(service.request("/batch")
                                .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body))))
                        .body())
                .as("chunked")
                .isEqualTo(ok(0, 1, 0));
    }

    @Test
    void get_takes_the_payload_from_the_query() {
        String data = Base64.getEncoder().encodeToString(utf8(single())).replace("=", "%3D");
        assertThat(service.get("/e/?data=" + data).body()).isEqualTo(ok(1, 0, 0));
        HttpResponse<String> none = service.get("/e/");
        assertThat(none.statusCode()).isEqualTo(400);
        assertThat(none.body()).isEqualTo(ProblemJson.text(Problem.BATCH_EMPTY, "the request has no body"));
    }

    @Test
    void a_beacon_is_answered_without_a_body() {
        HttpResponse<String> answer = service.post("/e/?beacon=1", single());
        assertThat(answer.statusCode()).isEqualTo(204);
        assertThat(answer.body()).isEmpty();
        assertThat(service.post("/e/?beacon=1", "{").statusCode()).isEqualTo(400);
    }

    @Test
    void a_refusal_by_the_ledger_is_503_with_whole_seconds_and_a_problem() {
        door.refuse(Problem.QUEUE_FULL, "10 of 10 events are waiting");
        HttpResponse<String> answer = service.post("/batch/", single());
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("Retry-After")).contains("5");
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(answer.body())
                .isEqualTo(
                        "{\"type\":\"urn:porcupine:problem:queue_full\",\"title\":\"The delivery queue is full\","
                                + "\"status\":503,\"detail\":\"10 of 10 events are waiting\",\"code\":\"queue_full\",\"retryable\":true}");
    }

    @Test
    void a_bug_is_500_without_a_stack_trace() {
        door.fail(new IllegalStateException("secret detail"));
        HttpResponse<String> answer = service.post("/batch/", single());
        assertThat(answer.statusCode()).isEqualTo(500);
        assertThat(answer.headers().firstValue("Retry-After")).contains("5");
        assertThat(answer.body())
                .isEqualTo(ProblemJson.text(Problem.INTERNAL, "the failure is in the service's log"))
                .doesNotContain("secret");
    }

    @Test
    void tokens_are_refused_with_401() {
        for (String token : List.of("phc_unknown", "phx_personal", "")) {
            HttpResponse<String> answer =
                    service.post("/e", "{\"api_key\":\"" + token + "\",\"event\":\"x\",\"distinct_id\":\"u\"}");
            assertThat(answer.statusCode()).as(token).isEqualTo(401);
        }
    }

    @Test
    void encodings_that_can_not_be_read_are_415() {
        for (String encoding : List.of("br", "deflate", "zstd", "gzip, gzip")) {
            HttpResponse<String> answer = service.send(service.request("/e/")
                    .header("Content-Encoding", encoding)
                    .POST(BodyPublishers.ofString(single())));
            assertThat(answer.statusCode()).as(encoding).isEqualTo(415);
            assertThat(answer.body()).contains("\"code\":\"media_type_unsupported\"");
        }
        assertThat(door.events()).isEmpty();
    }

    @Test
    void other_methods_are_405() {
        for (String method : List.of("PUT", "DELETE", "PATCH")) {
            HttpResponse<String> answer =
                    service.send(service.request("/e/").method(method, BodyPublishers.ofString(single())));
            assertThat(answer.statusCode()).isEqualTo(405);
            assertThat(answer.headers().firstValue("Allow")).contains("GET, POST, OPTIONS");
            assertThat(answer.body()).contains("\"code\":\"method_not_allowed\"");
        }
    }

    @Test
    void what_sdks_may_ask_for_and_porcupine_does_not_have_is_404() {
        for (String path : List.of(
                "/s/",
                "/s",
                "/i/v1/analytics/events",
                "/i/v1/logs",
                "/i/v0/ai",
                "/static/array.js",
                "/array/phc_demo/config.js",
                "/array/phc_demo",
                "/array/a/b/config")) {
            assertThat(service.get(path).statusCode()).as(path).isEqualTo(404);
            HttpResponse<String> posted = service.send(service.request(path)
                    .header("Origin", "https://site.example")
                    .POST(BodyPublishers.ofString("{}")));
            assertThat(posted.statusCode()).as(path).isEqualTo(404);
            assertThat(posted.body()).contains("\"code\":\"not_found\"");
            assertThat(posted.headers().firstValue("Access-Control-Allow-Origin"))
                    .contains("https://site.example");
        }
    }

    @Test
    void feature_endpoints_say_that_there_is_nothing() {
        assertThat(service.get("/array/phc_demo/config").body()).isEqualTo(FeatureEndpoint.CONFIG);
        assertThat(service.get("/array/phc_demo/config/").body()).isEqualTo(FeatureEndpoint.CONFIG);
        for (String path : List.of("/flags/?v=2", "/flags?v=2", "/decide/?v=3", "/decide")) {
            assertThat(service.post(path, "{\"token\":\"phc_demo\",\"distinct_id\":\"u\"}")
                            .body())
                    .isEqualTo(FeatureEndpoint.FLAGS);
        }
        String form = "data=" + Base64.getEncoder().encodeToString(utf8("{\"token\":\"phc_demo\"}"));
        assertThat(service.send(service.request("/flags/?v=2&compression=base64")
                                .header("Content-Type", "application/x-www-form-urlencoded")
                                .POST(BodyPublishers.ofString(form)))
                        .body())
                .isEqualTo(FeatureEndpoint.FLAGS);
        assertThat(service.get("/api/surveys/?token=phc_demo").body()).isEqualTo("{\"surveys\":[]}");
        assertThat(service.get("/api/web_experiments/?token=phc_demo").body()).isEqualTo("{\"experiments\":[]}");
        assertThat(service.get("/api/product_tours/?token=phc_demo").body()).isEqualTo("{\"product_tours\":[]}");
        assertThat(service.get("/api/early_access_features/?token=phc_demo").body())
                .isEqualTo("{\"earlyAccessFeatures\":[]}");
    }

    @Test
    void feature_endpoints_refuse_unknown_tokens() {
        for (String path : List.of("/array/phc_unknown/config", "/api/surveys/?token=phc_unknown", "/api/surveys/")) {
            assertThat(service.get(path).statusCode()).as(path).isEqualTo(401);
        }
        assertThat(service.post("/flags/", "{\"token\":\"phc_unknown\"}").statusCode())
                .isEqualTo(401);
        assertThat(service.post("/flags/", "{}").statusCode()).isEqualTo(401);
        assertThat(service.post("/flags/", "{").statusCode()).isEqualTo(400);
        assertThat(service.post("/flags/", "[]").statusCode()).isEqualTo(400);
    }

    @Test
    void health_is_plain_text() {
        for (String path : List.of("/", "/_readiness", "/_liveness")) {
            HttpResponse<String> answer = service.get(path);
            assertThat(answer.statusCode()).as(path).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith("text/plain");
            assertThat(service.send(service.request(path).method("HEAD", BodyPublishers.noBody()))
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void garbage_on_every_endpoint_is_a_clear_4xx() {
        for (String path :
                List.of("/batch", "/e/", "/engage", "/flags/", "/decide", "/s/", "/array/x/config", "/api/surveys")) {
            for (byte[] garbage : List.of(
                    utf8("<xml/>"),
                    utf8("null"),
                    utf8("\0\0\0"),
                    new byte[] {0x1f, (byte) 0x8b, 8},
                    utf8("{\"a\":" + "[".repeat(1000)))) {
                HttpResponse<String> answer =
                        service.send(service.request(path).POST(BodyPublishers.ofByteArray(garbage)));
                assertThat(answer.statusCode()).as(path).isBetween(400, 499);
                assertThat(answer.body())
                        .startsWith("{\"type\":\"urn:porcupine:problem:")
                        .doesNotContain("Exception");
            }
        }
    }

    @Test
    void everything_received_is_accounted_for() {
        MeterRegistry registry = service.bean(MeterRegistry.class);
        double receivedBefore =
                registry.get("porcupine.capture.received").counter().count();
        double settledBefore = settled(registry);
        String event = single();
        service.post("/e", "[" + event + "," + event + "," + single() + ",7,{}]");
        service.post("/e", "{\"api_key\":\"phc_demo\",\"event\":\"$performance_event\",\"distinct_id\":\"u\"}");
        service.post("/e", "{\"api_key\":\"phc_unknown\",\"batch\":[" + single() + ",7]}");
        service.post("/e", "{\"api_key\":\"phc_demo\",\"event\":\"\"}");
        service.post("/e", "not json");
        door.refuse(Problem.OVERLOADED, "busy");
        service.post("/e", "[" + single() + ",7]");
        door.fail(new IllegalStateException("a bug"));
        service.post("/e", single());
        door.open();
        assertThat(registry.get("porcupine.capture.received").counter().count() - receivedBefore)
                .isEqualTo(12);
        assertThat(settled(registry) - settledBefore).isEqualTo(12);
    }

    private static double settled(MeterRegistry registry) {
        double sum = 0;
        for (CaptureMetrics.Outcome outcome : CaptureMetrics.Outcome.values()) {
            sum += registry.get("porcupine.capture.events")
                    .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
                    .counter()
                    .count();
        }
        return sum;
    }

    @Test
    void requests_are_counted_by_their_answer() {
        Counter empty = service.bean(MeterRegistry.class)
                .get("porcupine.capture.requests")
                .tag("answer", "batch_empty")
                .counter();
        double before = empty.count();
        service.post("/e", "[]");
        assertThat(empty.count() - before).isEqualTo(1);
    }
}
