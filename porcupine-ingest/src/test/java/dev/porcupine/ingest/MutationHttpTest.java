package dev.porcupine.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.ledger.Ledger;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** PATCH and DELETE as clients see them. */
class MutationHttpTest {

    private static final String JSON = "application/json";

    private static TestService service;
    private static String token;
    private static long project;

    private String uuid = "";

    @BeforeAll
    static void start(@TempDir Path dataDir) {
        service = new TestService(ProjectApiTest.OnDisk.class, "--test.data-dir=" + dataDir);
        JsonNode created = JsonMapper.shared()
                .readTree(
                        service.post("/api/v1/projects", "{\"name\":\"shop\"}").body());
        token = created.get("token").asString();
        project = created.get("id").asLong();
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @BeforeEach
    void capture() {
        uuid = UUID.randomUUID().toString();
        service.post(
                "/batch",
                "{\"api_key\":\"" + token + "\",\"batch\":[{\"event\":\"signup\",\"distinct_id\":\"u1\",\"uuid\":\""
                        + uuid
                        + "\",\"timestamp\":\"2026-01-02T03:04:05Z\",\"properties\":{\"price\":1.50, "
                        + " \"plan\":\"pro\"}}]}");
    }

    @Test
    void a_patch_answers_with_the_event_and_its_tag() {
        HttpResponse<String> answer =
                patch("{\"event\":\"sign\\u0075p 2\",\"distinct_id\":7,\"timestamp\":\"2026-02-03T04:05:06.000001Z\","
                        + "\"properties\":{\"plan\":null,\"x\":{\"y\":1.0}}}");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.headers().firstValue("ETag")).contains("\"2\"");
        assertThat(answer.body())
                .startsWith("{\"uuid\":\"" + uuid
                        + "\",\"event\":\"signup"
                        + " 2\",\"distinct_id\":\"7\",\"timestamp\":\"2026-02-03T04:05:06.000001Z\",\"received_at\":")
                .endsWith(",\"revision\":2,\"properties\":{\"price\":1.50,\"x\":{\"y\":1.0}}}");
    }

    @Test
    void a_delete_answers_twice_the_same_and_a_patch_after_it_is_gone() {
        for (int i = 0; i < 2; i++) {
            HttpResponse<String> answer = send("DELETE", "", "X-None", "");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("{\"uuid\":\"" + uuid + "\",\"revision\":2,\"deleted\":true}");
            assertThat(answer.headers().firstValue("ETag")).contains("\"2\"");
        }
        assertProblem(patch("{\"event\":\"x\"}"), 410, "event_deleted");
    }

    @Test
    void a_condition_holds_or_names_the_current_revision() {
        HttpResponse<String> stale = send("PATCH", "{\"event\":\"x\"}", "If-Match", "\"7\", W/\"1\"");
        assertProblem(stale, 412, "revision_mismatch");
        assertThat(stale.headers().firstValue("ETag")).contains("\"1\"");
        assertThat(send("PATCH", "{\"event\":\"x\"}", "If-Match", "\"7\", \"1\"")
                        .statusCode())
                .isEqualTo(200);
        assertThat(send("DELETE", "", "If-Match", "*").statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"1", "\"1", "\"1\"x", "\"1\",", "W/1", "\"1\" \"2\"", "''"})
    void a_malformed_condition_is_refused(String header) {
        assertProblem(send("DELETE", "", "If-Match", header), 400, "parameter_invalid");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | parameter_invalid | no member",
                "{\"uuid\":\"x\"} | parameter_invalid | uuid",
                "{\"received_at\":1} | parameter_invalid | received_at",
                "{\"project_id\":1,\"event\":\"x\"} | parameter_invalid | project_id",
                "{\"$set\":{}} | parameter_invalid | $set",
                "{\"event\":\"\"} | parameter_invalid | event",
                "{\"event\":null} | parameter_invalid | event",
                "{\"event\":1} | parameter_invalid | event",
                "{\"event\":\"a\",\"event\":\"b\"} | parameter_invalid | twice",
                "{\"distinct_id\":\" \"} | parameter_invalid | distinct_id",
                "{\"distinct_id\":null} | parameter_invalid | distinct_id",
                "{\"timestamp\":\"soon\"} | parameter_invalid | timestamp",
                "{\"timestamp\":null} | parameter_invalid | timestamp",
                "{\"timestamp\":\"2999-01-01T00:00:00Z\"} | parameter_invalid | timestamp",
                "{\"properties\":null} | parameter_invalid | properties",
                "{\"properties\":[]} | parameter_invalid | properties",
                "{\"properties\":{\"a\":1,\"a\":2}} | parameter_invalid | twice",
                "[] | body_unreadable | object",
                "'' | body_unreadable | soon",
                "{\"event\":\"x\"}} | body_unreadable | JSON",
                "{\"properties\":{\"a\":01}} | body_unreadable | JSON"
            })
    void a_patch_that_is_not_understood_changes_nothing(String body, String code, String said) {
        HttpResponse<String> answer = patch(body);
        assertProblem(answer, 400, code);
        assertThat(answer.body()).contains(said);
        assertThat(send("DELETE", "", "If-Match", "\"1\"").statusCode()).isEqualTo(200);
    }

    @Test
    void a_body_of_another_kind_or_encoding_is_refused() {
        assertThat(send("PATCH", "{\"event\":\"x\"}", "Content-Type", "text/plain")
                        .statusCode())
                .isEqualTo(415);
        assertProblem(send("PATCH", "{\"event\":\"x\"}", "Content-Encoding", "gzip"), 415, "media_type_unsupported");
        assertThat(send("PATCH", "{\"event\":\"x\"}", "Content-Type", "application/merge-patch+json; charset=utf-8")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void an_event_does_not_grow_over_its_limit_by_patches() {
        int limit = TestService.LIMITS.eventBytesMax();
        assertProblem(patch("{\"event\":\"" + "x".repeat(limit) + "\"}"), 413, "body_too_large");
        String half = "x".repeat(limit / 2 + 100);
        assertThat(patch("{\"properties\":{\"a\":\"" + half + "\"}}").statusCode())
                .isEqualTo(200);
        assertProblem(patch("{\"properties\":{\"b\":\"" + half + "\"}}"), 413, "body_too_large");
        assertThat(patch("{\"properties\":{\"a\":\"" + half + "\",\"plan\":null}}")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void a_patch_is_refused_while_other_requests_hold_the_memory_it_needs() {
        BodyBudget budget = service.bean(BodyBudget.class);
        assertThat(patch("{\"properties\":{\"a\":\"" + "x".repeat(30_000) + "\"}}")
                        .statusCode())
                .isEqualTo(200);
        try (BodyBudget.Charge others = budget.open()) {
            others.take(budget.bytesMax() - 100_000);
            assertProblem(patch("{\"properties\":{\"b\":1}}"), 503, "overloaded");
        }
        HttpResponse<String> answer = patch("{\"properties\":{\"b\":1}}");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("ETag")).contains("\"3\"");
    }

    @Test
    void a_body_sent_in_chunks_is_bounded_too() {
        byte[] large = ("{\"event\":\"" + "x".repeat(TestService.LIMITS.eventBytesMax()) + "\"}")
                .getBytes(StandardCharsets.UTF_8);
        HttpResponse<String> answer = service.send(service.request("/api/v1/projects/" + project + "/events/" + uuid)
                .header("Content-Type", JSON)
                .method("PATCH", BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(large))));
        assertProblem(answer, 413, "body_too_large");
    }

    @Test
    void an_address_of_nothing_is_not_found() {
        String known = uuid;
        uuid = UUID.randomUUID().toString();
        assertProblem(patch("{\"event\":\"x\"}"), 404, "event_not_found");
        assertProblem(send("DELETE", "", "X-None", ""), 404, "event_not_found");
        uuid = "nothing";
        assertProblem(send("DELETE", "", "X-None", ""), 400, "parameter_invalid");
        assertProblem(
                service.send(
                        service.request("/api/v1/projects/99/events/" + known).DELETE()),
                404,
                "project_not_found");
        assertProblem(
                service.send(
                        service.request("/api/v1/projects/x/events/" + known).DELETE()),
                404,
                "project_not_found");
    }

    @Test
    void every_mutation_is_counted_by_kind_and_outcome() {
        MeterRegistry meters = service.bean(MeterRegistry.class);
        long before = count(meters, "patch", "changed");
        long repeated = count(meters, "delete", "repeated");
        long gone = count(meters, "patch", "deleted");
        patch("{\"event\":\"x\"}");
        send("DELETE", "", "X-None", "");
        send("DELETE", "", "X-None", "");
        patch("{\"event\":\"x\"}");
        assertThat(count(meters, "patch", "changed")).isEqualTo(before + 1);
        assertThat(count(meters, "delete", "repeated")).isEqualTo(repeated + 1);
        assertThat(count(meters, "patch", "deleted")).isEqualTo(gone + 1);
        assertThat(service.bean(Ledger.class).status().heads()).isPositive();
    }

    private static long count(MeterRegistry meters, String kind, String outcome) {
        return meters.get("porcupine.mutation.duration")
                .tag("kind", kind)
                .tag("outcome", outcome)
                .timer()
                .count();
    }

    private HttpResponse<String> patch(String body) {
        return send("PATCH", body, "Content-Type", JSON);
    }

    private HttpResponse<String> send(String method, String body, String header, String value) {
        HttpRequest.Builder request = service.request("/api/v1/projects/" + project + "/events/" + uuid)
                .method(
                        method,
                        body.isEmpty() && method.equals("DELETE")
                                ? BodyPublishers.noBody()
                                : BodyPublishers.ofString(body))
                .header(header, value);
        if (method.equals("PATCH") && !header.equals("Content-Type")) {
            request.header("Content-Type", JSON);
        }
        return service.send(request);
    }

    private static void assertProblem(HttpResponse<String> answer, int status, String code) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.body()).contains("\"code\":\"" + code + "\"");
    }
}
