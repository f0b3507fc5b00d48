package dev.porcupine.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.Problem;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class CorsTest {

    private static final String ORIGIN = "https://site.example";

    private static TestService service;

    @BeforeAll
    static void start() {
        service = new TestService(TestService.InMemory.class);
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    private static void allowed(HttpResponse<String> answer) {
        assertThat(answer.headers().allValues("Access-Control-Allow-Origin")).containsExactly(ORIGIN);
        assertThat(answer.headers().firstValue("Access-Control-Allow-Credentials"))
                .contains("true");
        assertThat(answer.headers().firstValue("Access-Control-Expose-Headers")).contains("Retry-After");
        assertThat(answer.headers().firstValue("Vary").orElse("")).contains("Origin");
    }

    @Test
    void every_answer_carries_the_headers_whatever_its_status() {
        for (String path : List.of(
                "/e/",
                "/flags/",
                "/array/phc_demo/config",
                "/array/x/config",
                "/s/",
                "/nowhere",
                "/static/array.js",
                "/api/surveys")) {
            allowed(service.send(
                    service.request(path).header("Origin", ORIGIN).POST(BodyPublishers.ofString("garbage"))));
            allowed(service.send(service.request(path).header("Origin", ORIGIN).GET()));
        }
        MemoryDoor door = service.bean(MemoryDoor.class);
        door.refuse(Problem.OVERLOADED, "busy");
        HttpResponse<String> busy = service.send(service.request("/e/")
                .header("Origin", ORIGIN)
                .POST(BodyPublishers.ofString("{\"api_key\":\"phc_demo\",\"event\":\"x\",\"distinct_id\":\"u\"}")));
        assertThat(busy.statusCode()).isEqualTo(503);
        allowed(busy);
        door.clear();
    }

    @Test
    void a_preflight_is_answered_everywhere() {
        for (String path : List.of("/e/", "/batch", "/flags", "/nowhere", "/i/v0/e/", "/array/x/config")) {
            HttpResponse<String> answer = service.send(service.request(path)
                    .header("Origin", ORIGIN)
                    .header("Access-Control-Request-Method", "POST")
                    .header("Access-Control-Request-Headers", "content-type,x-custom")
                    .method("OPTIONS", BodyPublishers.noBody()));
            assertThat(answer.statusCode()).as(path).isEqualTo(200);
            allowed(answer);
            assertThat(answer.headers().firstValue("Access-Control-Allow-Headers"))
                    .contains("content-type,x-custom");
            assertThat(answer.headers().firstValue("Access-Control-Allow-Methods"))
                    .contains("GET, POST, OPTIONS");
            assertThat(answer.body()).isEqualTo("{\"status\":\"Ok\"}");
        }
    }

    @Test
    void options_without_an_origin_is_ok() {
        HttpResponse<String> answer = service.send(service.request("/e/").method("OPTIONS", BodyPublishers.noBody()));
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("{\"status\":\"Ok\"}");
        assertThat(answer.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
    }

    @Test
    void the_admin_interface_and_the_actuator_are_closed_to_web_pages() {
        for (String path : List.of("/api/v1/projects", "/api/v1", "/actuator/health", "/actuator")) {
            HttpResponse<String> answer =
                    service.send(service.request(path).header("Origin", ORIGIN).GET());
            assertThat(answer.headers().firstValue("Access-Control-Allow-Origin"))
                    .as(path)
                    .isEmpty();
        }
    }
}
