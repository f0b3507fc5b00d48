package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What a service should know after each request, kept in maps, and the requests that compare it. One thread. */
final class WholeModel {

    private static final int BATCH_MAX = 12;
    private static final Duration REMOVED_WITHIN = Duration.ofMinutes(3);

    private final PackagedService service;
    private final ServiceClient client;
    private final Random random;
    private final Map<Long, Project> projects = new TreeMap<>();
    private final Map<String, Integer> answers = new TreeMap<>();

    private static final class Project {
        private final String token;
        private final Map<UUID, State> events = new HashMap<>();
        private final List<UUID> order = new ArrayList<>();

        private Project(String token) {
            this.token = token;
        }

        private long live() {
            return events.values().stream().filter(state -> !state.deleted()).count();
        }
    }

    /**
     * @param number the value of property {@code n}
     */
    private record State(long revision, boolean deleted, int number) {}

    WholeModel(PackagedService service, Random random) {
        this.service = service;
        this.client = service.client();
        this.random = random;
        projects.put(1L, new Project(service.token()));
        createProject();
        createProject();
    }

    void step() {
        long id = anyProject();
        Project project = Objects.requireNonNull(projects.get(id));
        switch (random.nextInt(10)) {
            case 0, 1, 2, 3 -> capture(project);
            case 4, 5 -> patch(id, project);
            case 6 -> delete(id, project);
            case 7, 8 -> read(id, project);
            default -> assertThat(client.settledCount(id)).isEqualTo(project.live());
        }
    }

    /** How often each kind of request had which answer. */
    String told() {
        return "answers: " + answers;
    }

    private void capture(Project project) {
        List<UUID> batch = new ArrayList<>();
        int size = 1 + random.nextInt(BATCH_MAX);
        for (int i = 0; i < size; i++) {
            UUID uuid = random.nextInt(3) == 0 ? someUuid(project) : new UUID(random.nextLong(), random.nextLong());
            if (!batch.contains(uuid)) {
                batch.add(uuid);
            }
        }
        int number = random.nextInt(1_000_000);
        StringBuilder events = new StringBuilder();
        for (UUID uuid : batch) {
            events.append(events.isEmpty() ? "" : ",")
                    .append("{\"event\":\"e\",\"distinct_id\":\"d\",\"uuid\":\"%s\",\"properties\":{\"n\":%d}}"
                            .formatted(uuid, number));
        }
        String body = "{\"api_key\":\"" + project.token + "\",\"batch\":[" + events + "]}";
        ServiceClient.Answer answer = answer(
                "capture",
                () -> client.request("/batch")
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(body)));
        long fresh =
                batch.stream().filter(uuid -> !project.events.containsKey(uuid)).count();
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        assertThat(answer.json().get("accepted").asLong()).isEqualTo(fresh);
        assertThat(answer.json().get("duplicates").asLong()).isEqualTo(batch.size() - fresh);
        for (UUID uuid : batch) {
            if (project.events.putIfAbsent(uuid, new State(1, false, number)) == null) {
                project.order.add(uuid);
            }
        }
    }

    private void patch(long id, Project project) {
        UUID uuid = someUuid(project);
        int number = random.nextInt(1_000_000);
        ServiceClient.Answer answer = answer(
                "patch",
                () -> admin(id, "/events/" + uuid)
                        .header("Content-Type", "application/merge-patch+json")
                        .method("PATCH", BodyPublishers.ofString("{\"properties\":{\"n\":" + number + "}}")));
        State before = project.events.get(uuid);
        assertThat(answer.status()).as("%s of %s", answer.body(), before).isEqualTo(expected(before));
        if (before != null && !before.deleted()) {
            assertThat(answer.json().get("revision").asLong()).isEqualTo(before.revision() + 1);
            project.events.put(uuid, new State(before.revision() + 1, false, number));
        }
    }

    private void delete(long id, Project project) {
        UUID uuid = someUuid(project);
        ServiceClient.Answer answer =
                answer("delete", () -> admin(id, "/events/" + uuid).DELETE());
        State before = project.events.get(uuid);
        assertThat(answer.status()).as("%s of %s", answer.body(), before).isEqualTo(before == null ? 404 : 200);
        if (before != null) {
            long revision = before.deleted() ? before.revision() : before.revision() + 1;
            assertThat(answer.json().get("revision").asLong()).isEqualTo(revision);
            project.events.put(uuid, new State(revision, true, 0));
        }
    }

    private void read(long id, Project project) {
        UUID uuid = someUuid(project);
        ServiceClient.Answer answer = answer("read", () -> admin(id, "/events/" + uuid));
        State state = project.events.get(uuid);
        assertThat(answer.status()).as("%s of %s", answer.body(), state).isEqualTo(expected(state));
        if (answer.status() == 200) {
            assertEvent(answer.json(), state);
        }
    }

    /** Returns the number of the project that is on its way out; a new one comes in its place. */
    long removeProject() {
        long id = anyProject();
        String token = Objects.requireNonNull(projects.remove(id)).token;
        assertThat(answer("remove", () -> admin(id, "").DELETE()).status()).isEqualTo(202);
        assertThat(client.capture(token, List.of(UUID.randomUUID())).status()).isEqualTo(401);
        assertThat(client.send(admin(id, "/events/count")).status()).isEqualTo(404);
        createProject();
        return id;
    }

    void awaitRemoved(long id) {
        Awaitility.await("removal of project " + id)
                .atMost(REMOVED_WITHIN)
                .until(() -> client.send(admin(id, "/removal"))
                        .json()
                        .get("stage")
                        .asString()
                        .equals("done"));
    }

    /** Every event of every project, page by page. */
    void assertSame() {
        projects.forEach((id, project) -> {
            assertThat(client.settledCount(id)).isEqualTo(project.live());
            Map<UUID, JsonNode> found = new HashMap<>();
            String cursor = "";
            do {
                String from = cursor;
                JsonNode page = answer("page", () -> admin(id, "/events?limit=50" + from))
                        .json();
                page.get("events")
                        .forEach(event -> assertThat(found.put(
                                        UUID.fromString(event.get("uuid").asString()), event))
                                .as("a second %s", event.get("uuid"))
                                .isNull());
                JsonNode next = page.get("next");
                cursor = next.isNull() ? "" : "&cursor=" + next.asString();
            } while (!cursor.isEmpty());
            assertThat(found).hasSize((int) project.live());
            project.events.forEach((uuid, state) -> {
                if (!state.deleted()) {
                    assertEvent(found.get(uuid), state);
                }
            });
        });
    }

    private static void assertEvent(@Nullable JsonNode event, @Nullable State state) {
        if (event == null || state == null) {
            throw new AssertionError("wanted " + state + ", found " + event);
        }
        assertThat(event.get("revision").asLong()).isEqualTo(state.revision());
        assertThat(event.at("/properties/n").asInt()).isEqualTo(state.number());
    }

    private static int expected(@Nullable State state) {
        if (state == null) {
            return 404;
        }
        return state.deleted() ? 410 : 200;
    }

    /** One that the project has had, the newest more often, and sometimes one that nobody has. */
    private UUID someUuid(Project project) {
        if (project.order.isEmpty() || random.nextInt(10) == 0) {
            return new UUID(random.nextLong(), random.nextLong());
        }
        int back = random.nextBoolean() ? Math.min(5, project.order.size()) : project.order.size();
        return project.order.get(project.order.size() - 1 - random.nextInt(back));
    }

    private long anyProject() {
        List<Long> ids = List.copyOf(projects.keySet());
        return ids.get(random.nextInt(ids.size()));
    }

    private void createProject() {
        JsonNode created = answer(
                        "create",
                        () -> client.request("/api/v1/projects")
                                .header("Authorization", "Bearer " + service.adminToken())
                                .header("Content-Type", "application/json")
                                .POST(BodyPublishers.ofString("{\"name\":\"another\"}")))
                .json();
        projects.put(
                created.get("id").asLong(), new Project(created.get("token").asString()));
    }

    /** Repeats what is answered with 503, as clients do: nothing of it is stored. */
    private ServiceClient.Answer answer(String kind, Supplier<HttpRequest.Builder> request) {
        ServiceClient.Answer answer = Awaitility.await(kind)
                .atMost(Duration.ofSeconds(60))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(100))
                .until(() -> client.send(request.get()), one -> one.status() != 503);
        answers.merge(kind + " " + answer.status(), 1, Integer::sum);
        return answer;
    }

    private HttpRequest.Builder admin(long project, String path) {
        return client.request("/api/v1/projects/" + project + path)
                .header("Authorization", "Bearer " + service.adminToken());
    }
}
