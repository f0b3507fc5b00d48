package dev.porcupine.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.History;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.QueuedEvent;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.Ticker;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The module as the application wires it, but for the admin token, behind a real Tomcat. */
class QuarantineHttpTest {

    private static final JsonMapper JSON = JsonMapper.shared();

    @TempDir
    Path dataDir;

    private final HttpClient http = HttpClient.newHttpClient();
    private DeliveryRig rig;
    private @Nullable ServletWebServerApplicationContext context;

    @BeforeEach
    void open() {
        rig = new DeliveryRig(dataDir, DeliveryRig.embedded(dataDir), DeliverySettings.defaults());
    }

    @AfterEach
    void close() {
        http.close();
        if (context != null) {
            context.close();
        }
        rig.close();
    }

    @Test
    void an_entry_shows_the_reason_and_the_event_as_the_client_wrote_it() {
        String properties = "{\"b\":1.50,\"a\":1e400,  \"text\":\"\\u00e9 é 😀\",\"b\":-0.0}";
        Event event = rig.event("say \"hi\"\n😀", properties);
        quarantine(List.of(event), "ClickHouse refused with error 469");
        serve();
        HttpResponse<String> answer = get(project() + "/quarantine");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).contains("\"properties\":" + properties);
        JsonNode entry = JSON.readTree(answer.body()).get("quarantined").get(0);
        assertThat(entry.get("reason").asString()).isEqualTo("ClickHouse refused with error 469");
        assertThat(entry.get("uuid").asString())
                .isEqualTo(event.identity().uuid().toString());
        assertThat(entry.get("event").asString()).isEqualTo("say \"hi\"\n😀");
        assertThat(entry.get("distinct_id").asString()).isEqualTo("user");
        assertThat(entry.get("timestamp").asString()).endsWith("000Z").hasSize(27);
        assertThat(entry.get("received_at").asString()).hasSize(24);
        assertThat(entry.get("quarantined_at").asString()).hasSize(24);
        assertThat(entry.get("revision").asInt()).isEqualTo(1);
        assertThat(JSON.readTree(answer.body()).get("next").isNull()).isTrue();
    }

    @Test
    void paging_visits_every_entry_once() {
        quarantine(IntStream.range(0, 130).mapToObj(n -> rig.event("e" + n)).toList(), "no");
        serve();
        List<String> names = new ArrayList<>();
        String after = "";
        for (int pages = 0; pages < 20; pages++) {
            JsonNode page = JSON.readTree(
                    get(project() + "/quarantine?limit=50&after=" + after).body());
            page.get("quarantined")
                    .forEach(entry -> names.add(entry.get("event").asString()));
            if (page.get("next").isNull()) {
                break;
            }
            after = page.get("next").asString();
        }
        assertThat(names)
                .containsExactlyElementsOf(
                        IntStream.range(0, 130).mapToObj(n -> "e" + n).toList());
    }

    @Test
    void a_page_of_large_events_ends_early() {
        String large = "{\"text\":\"" + "x".repeat(900_000) + "\"}";
        for (int n = 0; n < 3; n++) {
            quarantine(
                    IntStream.range(0, 15)
                            .mapToObj(m -> rig.event("large", large))
                            .toList(),
                    "no");
        }
        serve();
        JsonNode page = JSON.readTree(get(project() + "/quarantine?limit=1000").body());
        assertThat(page.get("quarantined").size()).isBetween(16, 40);
        assertThat(page.get("next").isNumber()).isTrue();
    }

    @Test
    void a_retried_entry_is_delivered_and_gone() {
        quarantine(List.of(rig.event("e")), "no");
        serve();
        long seq = rig.quarantined().getFirst().seq();
        HttpResponse<String> answer = post(project() + "/quarantine/" + seq + "/retry");
        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(answer.body()).isEqualTo("{\"seq\":" + seq + ",\"status\":\"queued\"}");
        // Stopping drains, so that the running loop's own pace does not matter here.
        running().close();
        assertThat(rig.ledger.status().queueEvents()).isZero();
        assertThat(rig.quarantined()).isEmpty();
        assertThat(rig.history.count(rig.project)).isEqualTo(1);
    }

    @Test
    void all_entries_are_retried_at_once() {
        quarantine(IntStream.range(0, 300).mapToObj(n -> rig.event("e" + n)).toList(), "no");
        serve();
        HttpResponse<String> answer = post(project() + "/quarantine/retry");
        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(JSON.readTree(answer.body()).get("requeued").asInt()).isEqualTo(300);
        assertThat(JSON.readTree(answer.body()).get("status").asString()).isEqualTo("queued");
        running().close();
        assertThat(rig.quarantined()).isEmpty();
        assertThat(rig.history.count(rig.project)).isEqualTo(300);
    }

    @Test
    void an_export_is_one_line_an_event_and_whole() {
        List<Event> events = new ArrayList<>();
        for (int n = 0; n < 40; n++) {
            events.add(rig.event("e" + n, "{\"n\" :\n 1.50,\r\n \"text\":\"" + "é\\n".repeat(20_000) + "\"}"));
        }
        quarantine(events, "two\nlines");
        serve();
        HttpResponse<String> answer = get(project() + "/quarantine/export");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/x-ndjson");
        assertThat(answer.headers().firstValueAsLong("Content-Length")).isPresent();
        List<String> lines = answer.body().lines().toList();
        assertThat(lines).hasSize(40);
        for (int n = 0; n < 40; n++) {
            JsonNode entry = JSON.readTree(lines.get(n));
            assertThat(entry.get("uuid").asString())
                    .isEqualTo(events.get(n).identity().uuid().toString());
            assertThat(entry.get("reason").asString()).isEqualTo("two\nlines");
            assertThat(entry.get("revision").asInt()).isEqualTo(1);
            assertThat(entry.get("deleted").asBoolean()).isFalse();
            assertThat(lines.get(n)).contains("{\"n\" :  1.50,   \"text\":");
            assertThat(entry.get("properties"))
                    .isEqualTo(JSON.readTree(events.get(n).properties()));
        }
        assertThat(dataDir.toFile().listFiles((folder, name) -> name.contains("export")))
                .isEmpty();
        assertThat(get(project() + "/quarantine/export").statusCode())
                .as("the export before has ended")
                .isEqualTo(200);
        assertThat(get("999/quarantine/export").statusCode()).isEqualTo(404);
    }

    @Test
    void an_empty_quarantine_exports_nothing() {
        serve();
        HttpResponse<String> answer = get(project() + "/quarantine/export");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEmpty();
    }

    @Test
    void a_second_retry_finds_nothing() {
        quarantine(List.of(rig.event("e")), "no");
        serve();
        long seq = rig.quarantined().getFirst().seq();
        assertThat(post(project() + "/quarantine/" + seq + "/retry").statusCode())
                .isEqualTo(202);
        HttpResponse<String> again = post(project() + "/quarantine/" + seq + "/retry");
        assertThat(again.statusCode()).isEqualTo(404);
        assertThat(again.body()).contains("quarantine_entry_not_found");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "999999", "abc", "99999999999999999999"})
    void what_names_no_entry_is_not_found(String seq) {
        serve();
        HttpResponse<String> answer = post(project() + "/quarantine/" + seq + "/retry");
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).contains("quarantine_entry_not_found");
    }

    @Test
    void an_unknown_project_is_not_found() {
        serve();
        for (String id : List.of("999", "0", "-1", "abc")) {
            assertThat(get(id + "/quarantine").body()).contains("project_not_found");
            assertThat(post(id + "/quarantine/1/retry").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void an_entry_of_another_project_is_not_found() {
        quarantine(List.of(rig.event("e")), "no");
        long other = rig.ledger.projects().create("other").project().id().value();
        serve();
        long seq = rig.quarantined().getFirst().seq();
        assertThat(post(other + "/quarantine/" + seq + "/retry").statusCode()).isEqualTo(404);
        assertThat(get(other + "/quarantine").body()).isEqualTo("{\"quarantined\":[],\"next\":null}");
    }

    @Test
    void bad_parameters_are_refused() {
        serve();
        for (String query : List.of("limit=0", "limit=1001", "limit=x", "after=-1", "after=x", "limit=1&limit=2")) {
            HttpResponse<String> answer = get(project() + "/quarantine?" + query);
            assertThat(answer.statusCode()).as(query).isEqualTo(400);
            assertThat(answer.body()).as(query).contains("parameter_invalid");
        }
    }

    @Test
    void the_wired_loop_delivers_what_is_captured() {
        serve();
        rig.accept(25);
        running().close();
        assertThat(rig.ledger.status().queueEvents()).isZero();
        assertThat(rig.history.count(rig.project)).isEqualTo(25);
    }

    private void quarantine(List<Event> events, String reason) {
        rig.accept(events);
        List<QueuedEvent> queued = rig.ledger.queue().oldest(1_000, 64L << 20);
        assertThat(queued).hasSize(events.size());
        rig.ledger.queue().quarantine(queued, reason);
    }

    private void serve() {
        context = (ServletWebServerApplicationContext) new SpringApplicationBuilder(Wiring.class)
                .properties("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off")
                .initializers((GenericApplicationContext beans) -> {
                    beans.registerBean(History.class, () -> rig.history, bean -> bean.setDestroyMethodName(""));
                    beans.registerBean(SourceWatch.class, () -> new SourceWatch(rig.history, Ticker.system()));
                    beans.registerBean(Ledger.class, () -> rig.ledger, bean -> bean.setDestroyMethodName(""));
                    beans.registerBean(MeterRegistry.class, () -> rig.meters, bean -> bean.setDestroyMethodName(""));
                    beans.registerBean(InstantSource.class, InstantSource::system);
                })
                .run();
    }

    private ServletWebServerApplicationContext running() {
        return Objects.requireNonNull(context, "serve() comes first");
    }

    private String project() {
        return rig.project.toString();
    }

    private HttpResponse<String> get(String path) {
        return send(request(path).GET().build());
    }

    private HttpResponse<String> post(String path) {
        return send(request(path).POST(HttpRequest.BodyPublishers.noBody()).build());
    }

    private HttpRequest.Builder request(String path) {
        int port = Objects.requireNonNull(running().getWebServer()).getPort();
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/v1/projects/" + path));
    }

    private HttpResponse<String> send(HttpRequest request) {
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({DeliveryConfiguration.class, Problems.class})
    static class Wiring {}

    /** Stands for the application's advice: the code is all that these tests look at. */
    @RestControllerAdvice
    static class Problems {

        @ExceptionHandler
        ResponseEntity<Map<String, String>> problem(ProblemException e) {
            return ResponseEntity.status(e.problem().status())
                    .body(Map.of("code", e.problem().code(), "detail", e.detail()));
        }
    }
}
