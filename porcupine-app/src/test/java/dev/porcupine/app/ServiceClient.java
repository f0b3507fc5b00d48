package dev.porcupine.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Talks to a service over HTTP as operators and simple clients do. */
final class ServiceClient {

    static final JsonMapper JSON = JsonMapper.shared();

    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();

    private final String base;
    private final String adminToken;

    ServiceClient(String base, String adminToken) {
        this.base = base;
        this.adminToken = adminToken;
    }

    String base() {
        return base;
    }

    boolean ready() {
        try {
            return HTTP.send(request("/actuator/health/readiness").build(), HttpResponse.BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Throws {@link UncheckedIOException} where the connection failed before an answer. */
    Answer send(HttpRequest.Builder request) {
        try {
            HttpResponse<String> response = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new Answer(
                    response.statusCode(),
                    response.body(),
                    response.headers().firstValue("Content-Type").orElse(""),
                    response.headers().firstValue("Retry-After").orElse(""));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(base + path)).timeout(ANSWER_WITHIN);
    }

    Answer get(String path) {
        return send(request(path));
    }

    Answer admin(String path) {
        return send(request(path).header("Authorization", "Bearer " + adminToken));
    }

    Answer capture(String token, List<UUID> uuids) {
        return capture(token, uuids, "ünïcode");
    }

    /**
     * @param text tells one payload from another of the same uuid; plain characters
     */
    Answer capture(String token, List<UUID> uuids, String text) {
        StringBuilder events = new StringBuilder();
        for (UUID uuid : uuids) {
            events.append(events.isEmpty() ? "" : ",")
                    .append("{\"event\":\"order placed\",\"distinct_id\":\"u1\",\"uuid\":\"")
                    .append(uuid)
                    .append("\",\"properties\":{\"price\":12.50,\"text\":\"")
                    .append(text)
                    .append("\"}}");
        }
        return send(request("/batch/")
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(
                        "{\"api_key\":\"" + token + "\",\"batch\":[" + events + "]}")));
    }

    /** The sum of a meter's samples whose line holds the text; 0 when there is none. */
    double metric(String name, String holding) {
        return get("/actuator/prometheus")
                .body()
                .lines()
                .filter(line -> line.startsWith(name) && line.contains(holding))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    JsonNode status() {
        return JSON.readTree(get("/actuator/porcupine").body());
    }

    long count(long project) {
        Answer answer = admin("/api/v1/projects/" + project + "/events/count");
        if (answer.status() != 200) {
            throw new AssertionError("events/count: " + answer);
        }
        return answer.json().get("count").asLong();
    }

    /** Returns the count once nothing waits for delivery. */
    long settledCount(long project) {
        Awaitility.await("empty queue")
                .atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> status().get("queue").get("events").asLong() == 0);
        return count(project);
    }

    /** Every event's uuid, page by page; fails on one that comes twice. */
    Set<UUID> uuids(long project) {
        Set<UUID> all = new HashSet<>();
        String cursor = "";
        do {
            Answer answer = admin("/api/v1/projects/" + project + "/events?limit=1000"
                    + (cursor.isEmpty() ? "" : "&cursor=" + cursor));
            if (answer.status() != 200) {
                throw new AssertionError("events: " + answer);
            }
            JsonNode page = answer.json();
            for (JsonNode event : page.get("events")) {
                UUID uuid = UUID.fromString(event.get("uuid").asString());
                if (!all.add(uuid)) {
                    throw new AssertionError(uuid + " is there twice");
                }
            }
            JsonNode next = page.path("next");
            cursor = next.isString() ? next.asString() : "";
        } while (!cursor.isEmpty());
        return all;
    }

    record Answer(int status, String body, String contentType, String retryAfter) {

        JsonNode json() {
            return JSON.readTree(body);
        }
    }
}
