package dev.porcupine.query;

import static dev.porcupine.query.StoredEvents.TEN_O_CLOCK_MICROS;
import static dev.porcupine.query.StoredEvents.event;
import static dev.porcupine.query.StoredEvents.store;
import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.ClickHouseSettings;
import dev.porcupine.history.Histories;
import dev.porcupine.history.History;
import dev.porcupine.schema.Event;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.SharedClickHouse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The reads over HTTP, over both histories. */
class EventReadTest {

    private static final JsonMapper JSON = JsonMapper.shared();

    @Nested
    class OverEmbeddedHistory extends Rules {

        @Override
        History history(Path dataDir) {
            return Histories.embedded(dataDir);
        }
    }

    @Nested
    class OverClickHouse extends Rules {

        @Override
        History history(Path dataDir) {
            ClickHouseEndpoint endpoint = SharedClickHouse.endpoint();
            return Histories.clickHouse(
                    new ClickHouseSettings(
                            endpoint.url(),
                            SharedClickHouse.freshDatabase(),
                            "events",
                            endpoint.user(),
                            endpoint.password(),
                            null,
                            null,
                            null),
                    new SimpleMeterRegistry());
        }
    }

    abstract static class Rules {

        @TempDir
        Path dataDir;

        private History history;
        private QueryServer server;

        abstract History history(Path dataDir);

        @BeforeEach
        void open() {
            history = history(dataDir);
            history.verify();
            server = new QueryServer(history, new QuerySettings(4, Duration.ofSeconds(1), 1L << 20));
        }

        @AfterEach
        void close() {
            server.close();
            history.close();
        }

        @Test
        void the_count_is_exact_and_of_one_project() {
            store(
                    history,
                    IntStream.range(0, 250)
                            .mapToObj(n -> event(n + 1, n, "e", "u", "{}"))
                            .toList());
            HttpResponse<String> answer = server.get("7/events/count");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("{\"count\":250}");
            assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
            assertThat(server.get("8/events/count").body()).isEqualTo("{\"count\":0}");
            assertThat(server.get("7/events/count?event=signup").statusCode())
                    .as("a filter that is not applied")
                    .isEqualTo(400);
        }

        @Test
        void an_event_comes_back_with_its_properties_as_the_client_wrote_them() {
            String properties = "{\"b\":1.50,\"a\":1e400,  \"text\":\"\\u00e9 é 😀\\/\",\"b\":-0.0}";
            Event stored = event(1, TEN_O_CLOCK_MICROS + 1, "say \"hi\"\n\\é😀", "tab\tuser\u0001", properties);
            store(history, List.of(stored));
            String wanted = "{\"uuid\":\"" + stored.identity().uuid()
                    + "\",\"event\":\"say \\\"hi\\\"\\n\\\\é😀\",\"distinct_id\":\"tab\\tuser\\u0001\""
                    + ",\"timestamp\":\"2026-11-30T10:00:00.000001Z\",\"received_at\":\"2026-11-30T10:00:00.123Z\""
                    + ",\"revision\":1,\"properties\":" + properties + "}";
            assertThat(server.get("7/events/" + stored.identity().uuid()).body())
                    .isEqualTo(wanted);
            assertThat(server.get("7/events").body()).isEqualTo("{\"events\":[" + wanted + "],\"next\":null}");
        }

        @Test
        void any_spelling_of_a_uuid_finds_its_event() {
            Event stored = event(3, 0, "e", "u", "{}");
            store(history, List.of(stored));
            String uuid = stored.identity().uuid().toString();
            assertThat(server.get("7/events/" + uuid.toUpperCase(Locale.ROOT)).statusCode())
                    .isEqualTo(200);
            assertThat(server.get("7/events/" + uuid.replace("-", "")).statusCode())
                    .isEqualTo(200);
        }

        @Test
        void a_tombstone_is_gone() {
            Event stored = event(3, 0, "e", "u", "{}");
            Event tombstone = new Event(
                    stored.identity(),
                    2,
                    true,
                    "e",
                    "u",
                    0,
                    stored.receivedAtMillis(),
                    "{}".getBytes(StandardCharsets.UTF_8));
            store(history, List.of(stored, tombstone));
            HttpResponse<String> answer =
                    server.get("7/events/" + stored.identity().uuid());
            assertThat(answer.statusCode()).isEqualTo(410);
            assertThat(answer.body()).contains("event_deleted");
            assertThat(server.get("7/events/count").body()).isEqualTo("{\"count\":0}");
            assertThat(server.get("7/events").body()).isEqualTo("{\"events\":[],\"next\":null}");
        }

        @Test
        void paging_visits_every_event_once_in_order_though_timestamps_tie() {
            List<Event> events = new ArrayList<>();
            for (int n = 0; n < 2_500; n++) {
                events.add(event(n + 1, TEN_O_CLOCK_MICROS + n / 600, "e", "u", "{\"n\":" + n + "}"));
            }
            store(history, events);
            List<String> wanted = events.stream()
                    .sorted(StoredEvents.NEWEST_FIRST)
                    .map(event -> event.identity().uuid().toString())
                    .toList();
            assertThat(page(7, "limit=1000")).isEqualTo(wanted);
            assertThat(page(7, "limit=499")).isEqualTo(wanted);
        }

        @Test
        void filters_narrow_the_listing() {
            store(
                    history,
                    List.of(
                            event(1, TEN_O_CLOCK_MICROS, "a b&c", "u1", "{}"),
                            event(2, TEN_O_CLOCK_MICROS + 1, "x", "u1", "{}"),
                            event(3, TEN_O_CLOCK_MICROS + 2, "x", "ü'\\\\2", "{}"),
                            event(4, TEN_O_CLOCK_MICROS - 1, "x", "u1", "{}")));
            assertThat(page(7, "event=a%20b%26c")).containsExactly(uuid(1));
            assertThat(page(7, "event=x&distinct_id=u1")).containsExactly(uuid(2), uuid(4));
            assertThat(page(7, "distinct_id=%C3%BC%27%5C%5C2")).containsExactly(uuid(3));
            assertThat(page(7, "from=2026-11-30T10:00:00Z&to=2026-11-30T10:00:00.000002Z"))
                    .containsExactly(uuid(2), uuid(1));
            assertThat(page(7, "event=x%27%20or%201%3D1")).isEmpty();
        }

        @Test
        void a_page_ends_early_at_its_byte_bound_and_the_next_goes_on() {
            String large = "{\"text\":\"" + "x".repeat(300_000) + "\"}";
            List<Event> events = IntStream.range(0, 10)
                    .mapToObj(n -> event(n + 1, n, "large", "u", large))
                    .toList();
            store(history, events);
            JsonNode first = json(server.get("7/events?limit=100"));
            assertThat(first.get("events").size()).isEqualTo(4);
            assertThat(first.get("next").isString()).isTrue();
            assertThat(page(7, "limit=100")).hasSize(10).doesNotHaveDuplicates();
        }

        private static String uuid(long number) {
            return StoredEvents.uuid(number).toString();
        }

        /** The uuids of all pages, following the cursors. */
        private List<String> page(long project, String query) {
            List<String> uuids = new ArrayList<>();
            String cursor = "";
            for (int pages = 0; pages < 100; pages++) {
                JsonNode page = json(server.get(project + "/events?" + query + "&cursor=" + cursor));
                page.get("events").forEach(event -> uuids.add(event.get("uuid").asString()));
                if (page.get("next").isNull()) {
                    return uuids;
                }
                cursor = page.get("next").asString();
            }
            throw new AssertionError("no end after 100 pages");
        }

        private static JsonNode json(HttpResponse<String> answer) {
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            return JSON.readTree(answer.body());
        }
    }
}
