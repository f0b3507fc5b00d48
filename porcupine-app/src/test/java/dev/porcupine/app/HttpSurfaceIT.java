package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What the whole surface owes to strangers: the right status, one shape of refusal, nothing of its insides. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpSurfaceIT {

    private PackagedService service;
    private ServiceClient client;

    @BeforeAll
    void start(@TempDir Path folder) {
        service = PackagedService.start(folder.resolve("data"));
        client = service.client();
    }

    @AfterAll
    void stop() {
        service.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/projects",
                "/api/v1/projects/1",
                "/api/v1/projects/1/events",
                "/api/v1/projects/1/events/count",
                "/api/v1/projects/1/quarantine",
                "/api/v1/projects/1/rejections",
                "/api/v1",
                "/api/v1/",
                "/api/v1/nothing",
                "/api//v1/projects",
                "/api/v1;a=b/projects",
                "/api;a=b/v1/projects",
                "/%61pi/v1/projects",
                "/api/v1/%70rojects",
                "/x/../api/v1/projects",
                "/api/./v1/projects",
            })
    void no_spelling_of_an_admin_address_leads_around_the_token(String path) throws IOException {
        String answer = raw("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        assertThat(answer).containsPattern("^HTTP/1.1 (401|404|400)").doesNotContain("\"default\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Bearer", "Bearer ", "Bearer wrong", "Basic wrong", "wrong", "Bearer  "})
    void a_missing_or_wrong_admin_token_is_401_and_a_problem(String header) {
        HttpRequest.Builder request = client.request("/api/v1/projects");
        if (!header.isEmpty()) {
            request.header("Authorization", header);
        }
        ServiceClient.Answer answer = client.send(request);
        assertThat(answer.status()).isEqualTo(401);
        assertProblem(answer, "admin_token_invalid");
    }

    @Test
    void a_401_names_its_scheme() throws IOException {
        assertThat(raw("GET /api/v1/projects HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
                .containsIgnoringCase("\r\nWWW-Authenticate: Bearer\r\n");
    }

    @Test
    void the_right_admin_token_lists_the_first_project() {
        ServiceClient.Answer answer = client.admin("/api/v1/projects");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).contains("\"default\"").doesNotContain(service.token());
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /nothing-here, 404, not_found",
        "GET, /error, 404, not_found",
        "GET, /actuator/env, 404, not_found",
        "GET, /actuator/heapdump, 404, not_found",
        "GET, /actuator/shutdown, 404, not_found",
        "POST, /actuator/porcupine, 405, method_not_allowed",
        "GET, /api/v1/nothing, 404, not_found",
        "GET, /api/v1/projects/999, 404, project_not_found",
        "GET, /api/v1/projects/0/events/count, 404, project_not_found",
        "GET, /api/v1/projects/x/events/count, 404, project_not_found",
        "GET, /api/v1/projects/99999999999999999999/events/count, 404, project_not_found",
        "PUT, /api/v1/projects, 405, method_not_allowed",
        "GET, /api/v1/projects/1/events/not-a-uuid, 400, parameter_invalid",
        "GET, /api/v1/projects/1/events?limit=0, 400, parameter_invalid",
        "GET, /api/v1/projects/1/events?limit=x, 400, parameter_invalid",
        "GET, /api/v1/projects/1/events?cursor=garbage, 400, parameter_invalid",
        "GET, /api/v1/projects/1/events/01890a5d-ac96-774b-bcce-b302099a8057, 404, event_not_found",
        "DELETE, /api/v1/projects/1/events/01890a5d-ac96-774b-bcce-b302099a8057, 404, event_not_found",
        "DELETE, /api/v1/projects/1/events/not-a-uuid, 400, parameter_invalid",
        "PATCH, /api/v1/projects/1/events/01890a5d-ac96-774b-bcce-b302099a8057, 415, media_type_unsupported",
        "PUT, /api/v1/projects/1/events/01890a5d-ac96-774b-bcce-b302099a8057, 405, method_not_allowed",
    })
    void refusals_have_one_shape(String method, String path, int status, String code) {
        ServiceClient.Answer answer = client.send(client.request(path)
                .header("Authorization", "Bearer " + service.adminToken())
                .header("Accept", "text/html,*/*")
                .method(method, HttpRequest.BodyPublishers.noBody()));
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertProblem(answer, code);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[]", "null", "{\"name\":5}", "{\"name\":\"\"}", "{\"name\":{}}", "\u0000", "{}"})
    void garbage_for_a_new_project_is_a_clear_400(String body) {
        ServiceClient.Answer answer = client.send(client.request("/api/v1/projects")
                .header("Authorization", "Bearer " + service.adminToken())
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
        assertThat(answer.status()).as(answer.body()).isEqualTo(400);
        assertThat(answer.contentType()).startsWith("application/problem+json");
        assertClean(answer.body());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GARBAGE\r\n\r\n",
                "GET / HTTP/9.9\r\nHost: x\r\n\r\n",
                "GET /a b c HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET /{} HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n",
                "GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                "GET /%00 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                "GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                "POST /batch/ HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n",
                "POST /batch/ HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
                "POST /batch/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\n",
                "POST /batch/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: nonsense\r\n\r\n",
                "TRACE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                "BREW /batch/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            })
    void a_malformed_request_is_refused_without_a_page_or_a_stack_trace(String request) throws IOException {
        String answer = raw(request);
        assertThat(answer).containsPattern("^HTTP/1.1 (400|404|405|501|505)");
        assertClean(answer);
    }

    @Test
    void headers_beyond_the_limit_are_refused() throws IOException {
        String answer = raw("GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + "a".repeat(20_000) + "\r\n\r\n");
        assertThat(answer).containsPattern("^HTTP/1.1 (400|431)");
        assertClean(answer);
    }

    @Test
    void the_state_endpoint_has_the_documented_fields() {
        JsonNode state = client.status();
        assertThat(List.copyOf(state.propertyNames()))
                .as("fields are added at the end, never renamed or removed")
                .startsWith("admission", "receipts", "queue", "heads", "leases", "source", "convergence");
        assertThat(List.copyOf(state.get("admission").propertyNames())).containsExactly("open", "reasons");
        assertThat(List.copyOf(state.get("receipts").propertyNames()))
                .containsExactly("hot", "limit", "unproven", "evicted", "complete");
        assertThat(List.copyOf(state.get("queue").propertyNames()))
                .containsExactly("events", "bytes", "maxEvents", "maxBytes", "quarantined");
        assertThat(List.copyOf(state.get("source").propertyNames()))
                .startsWith("kind", "pinned", "tableUuid", "verified", "findings");
        assertThat(state.get("source").get("kind").asString()).isEqualTo("embedded");
        assertThat(state.get("convergence").asString()).isEqualTo("converged");
        assertThat(state.get("receipts").get("complete").asBoolean()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/liveness", "/readiness", "/admission"})
    void health_and_its_groups_are_up(String group) {
        ServiceClient.Answer answer = client.get("/actuator/health" + group);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        assertThat(answer.json().get("status").asString()).isEqualTo("UP");
    }

    @Test
    void an_event_is_patched_and_deleted_and_every_read_says_so_at_once() {
        UUID uuid = UUID.randomUUID();
        assertThat(client.capture(service.token(), List.of(uuid)).status()).isEqualTo(200);
        long before = client.settledCount(1);
        ServiceClient.Answer patched = mutate("PATCH", uuid, "{\"event\":\"changed\",\"properties\":{\"text\":null}}");
        assertThat(patched.status()).as(patched.body()).isEqualTo(200);
        assertThat(patched.json().get("revision").asInt()).isEqualTo(2);
        assertThat(patched.body()).endsWith("\"properties\":{\"price\":12.50}}");
        assertThat(client.admin("/api/v1/projects/1/events/" + uuid).body()).isEqualTo(patched.body());
        assertThat(client.admin("/api/v1/projects/1/events?event=changed").body())
                .contains(patched.body());
        assertThat(client.count(1)).isEqualTo(before);
        assertThat(mutate("DELETE", uuid, "").status()).isEqualTo(200);
        assertThat(client.count(1)).isEqualTo(before - 1);
        assertThat(client.uuids(1)).doesNotContain(uuid);
        ServiceClient.Answer gone = client.admin("/api/v1/projects/1/events/" + uuid);
        assertThat(gone.status()).isEqualTo(410);
        assertProblem(gone, "event_deleted");
        assertThat(client.settledCount(1)).isEqualTo(before - 1);
        assertThat(client.capture(service.token(), List.of(uuid))
                        .json()
                        .get("duplicates")
                        .asInt())
                .isEqualTo(1);
        assertThat(client.metric("porcupine_mutation_duration_seconds_count", "outcome=\"changed\""))
                .isEqualTo(2);
    }

    private ServiceClient.Answer mutate(String method, UUID uuid, String body) {
        return client.send(client.request("/api/v1/projects/1/events/" + uuid)
                .header("Authorization", "Bearer " + service.adminToken())
                .header("Content-Type", "application/merge-patch+json")
                .method(method, HttpRequest.BodyPublishers.ofString(body)));
    }

    @Test
    void readiness_does_not_look_at_history() {
        assertThat(client.get("/actuator/health/readiness").body()).doesNotContain("history");
    }

    @Test
    void prometheus_shows_every_meter_of_the_stores_from_the_start() {
        assertThat(client.get("/actuator/prometheus").body())
                .contains(
                        "porcupine_ledger_receipts ",
                        "porcupine_ledger_queue_events ",
                        "porcupine_ledger_queue_size_bytes ",
                        "porcupine_ledger_quarantined ",
                        "porcupine_ledger_evictions_total ",
                        "porcupine_history_verified 1.0",
                        "porcupine_admission_open 1.0");
    }

    private void assertProblem(ServiceClient.Answer answer, String code) {
        assertThat(answer.contentType()).startsWith("application/problem+json");
        JsonNode problem = answer.json();
        assertThat(problem.get("code").asString()).isEqualTo(code);
        assertThat(problem.get("status").asInt()).isEqualTo(answer.status());
        assertThat(problem.get("retryable").asBoolean()).isFalse();
        assertThat(problem.get("title").asString()).isNotBlank();
        assertClean(answer.body());
    }

    private static void assertClean(String answer) {
        assertThat(answer)
                .doesNotContainIgnoringCase("<html")
                .doesNotContain("Exception", "\tat ", "org.apache", "org.springframework", "Tomcat", "java.");
    }

    private String raw(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), service.port())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }
}
