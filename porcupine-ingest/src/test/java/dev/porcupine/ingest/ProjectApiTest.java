package dev.porcupine.ingest;

import static dev.porcupine.ingest.CaptureFixture.ok;
import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.Histories;
import dev.porcupine.history.History;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LedgerSettings;
import dev.porcupine.ledger.QueuedEvent;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProblemJson;
import dev.porcupine.schema.Ticker;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The whole module in front of a real ledger. */
class ProjectApiTest {

    private static final JsonMapper JSON = JsonMapper.shared();

    private static TestService service;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({IngestConfiguration.class, Advice.class})
    static class OnDisk {

        @Bean(destroyMethod = "close")
        Ledger ledger(@Value("${test.data-dir}") Path dataDir) {
            return Ledger.open(new LedgerSettings(dataDir, 1000, 10_000_000), InstantSource.system());
        }

        @Bean(destroyMethod = "close")
        History history(@Value("${test.data-dir}") Path dataDir) {
            return Histories.embedded(dataDir);
        }

        @Bean
        SourceWatch sourceWatch(History history) {
            return new SourceWatch(history, Ticker.system());
        }

        @Bean
        CaptureLimits limits() {
            return TestService.LIMITS;
        }

        @Bean
        InstantSource clock() {
            return InstantSource.system();
        }

        @Bean
        MeterRegistry registry() {
            return new SimpleMeterRegistry();
        }
    }

    /** The application has one of its own. */
    @RestControllerAdvice
    static class Advice {

        @ExceptionHandler
        ResponseEntity<String> problem(ProblemException e) {
            return ResponseEntity.status(e.problem().status())
                    .contentType(MediaType.parseMediaType(ProblemJson.MEDIA_TYPE))
                    .body(ProblemJson.text(e.problem(), e.detail()));
        }
    }

    @BeforeAll
    static void start(@TempDir Path dataDir) {
        service = new TestService(OnDisk.class, "--test.data-dir=" + dataDir);
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    private static JsonNode created(String name) {
        HttpResponse<String> answer = service.post("/api/v1/projects", "{\"name\":\"" + name + "\"}");
        assertThat(answer.statusCode()).isEqualTo(201);
        return JSON.readTree(answer.body());
    }

    private static String capture(String token, String members) {
        return service.post("/e/", "{\"api_key\":\"" + token + "\",\"batch\":[{" + members + "}]}")
                .body();
    }

    @Test
    void a_project_is_made_and_its_token_writes_at_once() {
        HttpResponse<String> answer = service.post("/api/v1/projects", "{\"name\":\"shop\"}");
        assertThat(answer.statusCode()).isEqualTo(201);
        assertThat(answer.headers().firstValue("Cache-Control").orElse("")).contains("no-store");
        JsonNode project = JSON.readTree(answer.body());
        assertThat(project.propertyNames()).containsExactlyInAnyOrder("id", "name", "token", "tokenId", "createdAt");
        assertThat(answer.headers().firstValue("Location"))
                .contains("/api/v1/projects/" + project.get("id").asLong());
        assertThat(capture(project.get("token").asString(), "\"event\":\"x\",\"distinct_id\":\"u\""))
                .isEqualTo(ok(1, 0, 0));
        JsonNode read = JSON.readTree(
                service.get("/api/v1/projects/" + project.get("id").asLong()).body());
        assertThat(read.get("name").asString()).isEqualTo("shop");
        assertThat(read.get("createdAt").asString()).matches("\\d{4}-\\d\\d-\\d\\dT.*Z");
        assertThat(read.has("token")).isFalse();
        assertThat(service.get("/api/v1/projects").body()).contains("\"name\":\"shop\"");
    }

    @Test
    void a_project_needs_a_name_that_can_be_shown() {
        for (String body :
                List.of("{}", "{\"name\":null}", "{\"name\":\" \"}", "{\"name\":\"" + "n".repeat(201) + "\"}")) {
            HttpResponse<String> answer = service.post("/api/v1/projects", body);
            assertThat(answer.statusCode()).as(body).isEqualTo(400);
            assertThat(answer.body()).contains("\"code\":\"parameter_invalid\"");
        }
        assertThat(service.post("/api/v1/projects", "{").statusCode()).isEqualTo(400);
    }

    @Test
    void what_is_not_there_is_404() {
        for (String id : List.of("999", "0", "-1", "x", "9999999999999999999999")) {
            for (String rest : List.of("", "/tokens", "/rejections", "/conflicts")) {
                HttpResponse<String> answer = service.get("/api/v1/projects/" + id + rest);
                assertThat(answer.statusCode()).as(id + rest).isEqualTo(404);
                assertThat(answer.body()).contains("\"code\":\"project_not_found\"");
            }
        }
    }

    @Test
    void a_removed_project_is_shown_to_nobody_but_in_its_progress() {
        JsonNode project = created("to be removed");
        String token = project.get("token").asString();
        String path = "/api/v1/projects/" + project.get("id").asLong();
        assertThat(capture(token, "\"event\":\"x\",\"distinct_id\":\"u\"")).isEqualTo(ok(1, 0, 0));
        capture(token, "\"event\":\"\"");
        assertThat(service.get(path + "/removal").statusCode()).isEqualTo(404);

        for (int asked = 0; asked < 2; asked++) {
            HttpResponse<String> answer = service.send(service.request(path).DELETE());
            assertThat(answer.statusCode()).isEqualTo(202);
            assertThat(answer.headers().firstValue("Location")).contains(path + "/removal");
            assertThat(answer.body()).isEqualTo(service.get(path + "/removal").body());
        }

        assertThat(capture(token, "\"event\":\"x\",\"distinct_id\":\"u\"")).contains("\"code\":\"token_invalid\"");
        for (String rest : List.of("", "/tokens", "/rejections", "/conflicts")) {
            assertThat(service.get(path + rest).statusCode()).as(rest).isEqualTo(404);
        }
        assertThat(service.send(service.request(path + "/tokens").POST(BodyPublishers.noBody()))
                        .statusCode())
                .isEqualTo(404);
        assertThat(service.get("/api/v1/projects").body()).doesNotContain("to be removed");
        JsonNode progress = JSON.readTree(service.get(path + "/removal").body());
        assertThat(progress.get("id").asLong()).isEqualTo(project.get("id").asLong());
        assertThat(progress.get("stage").asString()).isEqualTo("queue");
        assertThat(progress.get("waitingFor").isNull()).isTrue();
        assertThat(progress.get("requestedAt").asString()).matches("\\d{4}-\\d\\d-\\d\\dT.*Z");
        assertThat(progress.get("removed").get("historyRows").asLong()).isZero();
        assertThat(progress.get("left").get("queued").asLong()).isEqualTo(1);
        for (String id : List.of("999", "0", "-1", "x", "9999999999999999999999")) {
            assertThat(service.send(service.request("/api/v1/projects/" + id).DELETE())
                            .body())
                    .contains("\"code\":\"project_not_found\"");
            assertThat(service.get("/api/v1/projects/" + id + "/removal").statusCode())
                    .isEqualTo(404);
        }
    }

    @Test
    void a_second_token_writes_until_it_is_revoked() {
        JsonNode project = created("tokens");
        String tokens = "/api/v1/projects/" + project.get("id").asLong() + "/tokens";
        HttpResponse<String> issued = service.send(service.request(tokens).POST(BodyPublishers.noBody()));
        assertThat(issued.statusCode()).isEqualTo(201);
        JsonNode token = JSON.readTree(issued.body());
        String secret = token.get("token").asString();
        assertThat(capture(secret, "\"event\":\"x\",\"distinct_id\":\"u\"")).isEqualTo(ok(1, 0, 0));
        String list = service.get(tokens).body();
        assertThat(list)
                .contains("\"tokenId\":" + token.get("tokenId").asLong())
                .doesNotContain(secret);
        String one = tokens + "/" + token.get("tokenId").asLong();
        assertThat(service.send(service.request(one).DELETE()).statusCode()).isEqualTo(204);
        assertThat(capture(secret, "\"event\":\"x\",\"distinct_id\":\"u\"")).contains("\"code\":\"token_invalid\"");
        assertThat(capture(project.get("token").asString(), "\"event\":\"x\",\"distinct_id\":\"u\""))
                .isEqualTo(ok(1, 0, 0));
        assertThat(service.send(service.request(one).DELETE()).statusCode()).isEqualTo(404);
        assertThat(service.send(service.request(tokens + "/x").DELETE()).statusCode())
                .isEqualTo(404);
    }

    @Test
    void rejections_and_conflicts_are_listed_with_the_newest_first() {
        JsonNode project = created("odd");
        String token = project.get("token").asString();
        String path = "/api/v1/projects/" + project.get("id").asLong();
        assertThat(service.get(path + "/rejections").body()).isEqualTo("{\"rejections\":[]}");
        capture(token, "\"event\":\"\"");
        capture(token, "\"event\":\"x\",\"distinct_id\":\"u\",\"uuid\":\"?\"");
        JsonNode rejections =
                JSON.readTree(service.get(path + "/rejections").body()).get("rejections");
        assertThat(rejections.size()).isEqualTo(2);
        assertThat(rejections.get(0).get("reason").asString()).isEqualTo("uuid_invalid");
        assertThat(rejections.get(0).propertyNames())
                .containsExactlyInAnyOrder("reason", "index", "sample", "rejectedAt");
        assertThat(rejections.get(1).get("sample").asString()).isEqualTo("{\"event\":\"\"}");
        String uuid = "\"uuid\":\"0190f000-0000-7000-8000-000000000001\"";
        capture(token, "\"event\":\"a\",\"distinct_id\":\"u\"," + uuid);
        assertThat(capture(token, "\"event\":\"b\",\"distinct_id\":\"u\"," + uuid))
                .isEqualTo(ok(0, 1, 0));
        JsonNode conflicts =
                JSON.readTree(service.get(path + "/conflicts").body()).get("conflicts");
        assertThat(conflicts.size()).isEqualTo(1);
        assertThat(conflicts.get(0).get("event").asString()).isEqualTo("b");
        assertThat(conflicts.get(0).propertyNames()).containsExactlyInAnyOrder("uuid", "event", "distinctId", "seenAt");
    }

    @Test
    void twenty_clients_with_the_same_events_store_them_once() throws Exception {
        JsonNode project = created("crowd");
        StringBuilder batch =
                new StringBuilder("{\"api_key\":\"" + project.get("token").asString() + "\",\"batch\":[");
        for (int i = 0; i < 100; i++) {
            batch.append(i == 0 ? "" : ",")
                    .append(String.format(
                            "{\"event\":\"x\",\"distinct_id\":\"u\",\"uuid\":\"0190f000-0000-7000-8000-%012x\"}",
                            i + 1));
        }
        String body = batch.append("]}").toString();
        List<Callable<JsonNode>> clients = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            clients.add(() -> {
                HttpResponse<String> answer = service.post("/batch/", body);
                assertThat(answer.statusCode()).isEqualTo(200);
                return JSON.readTree(answer.body());
            });
        }
        int accepted = 0;
        int duplicates = 0;
        try (ExecutorService threads = Executors.newFixedThreadPool(20)) {
            for (Future<JsonNode> answer : threads.invokeAll(clients)) {
                accepted += answer.get().get("accepted").asInt();
                duplicates += answer.get().get("duplicates").asInt();
            }
        }
        assertThat(accepted).isEqualTo(100);
        assertThat(duplicates).isEqualTo(1900);
        List<QueuedEvent> queued = service.bean(Ledger.class).queue().oldest(1000, Long.MAX_VALUE);
        assertThat(queued.stream()
                        .filter(event -> event.event().identity().project().value()
                                == project.get("id").asLong()))
                .hasSize(100);
    }
}
