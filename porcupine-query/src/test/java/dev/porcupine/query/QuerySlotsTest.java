package dev.porcupine.query;

import static dev.porcupine.query.StoredEvents.event;
import static dev.porcupine.query.StoredEvents.store;
import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.Histories;
import dev.porcupine.history.HistoryReadException;
import dev.porcupine.history.HistoryReadException.Kind;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What clients get when history is slow, away or over a limit. */
class QuerySlotsTest {

    private static final int SLOTS = 2;

    @TempDir
    Path dataDir;

    private SteeredHistory history;
    private QueryServer server;

    @BeforeEach
    void open() {
        history = new SteeredHistory(Histories.embedded(dataDir));
        store(
                history,
                IntStream.range(0, 100)
                        .mapToObj(n -> event(n + 1, n, "e", "u", "{}"))
                        .toList());
        server = new QueryServer(history, new QuerySettings(SLOTS, Duration.ofMillis(100), 16L << 20));
    }

    @AfterEach
    void close() {
        server.close();
        history.close();
    }

    @Test
    void a_read_without_a_slot_is_refused_and_slots_come_back() throws InterruptedException {
        CountDownLatch held = new CountDownLatch(SLOTS);
        CountDownLatch release = new CountDownLatch(1);
        history.beforeRead(rows -> {
            held.countDown();
            await(release);
        });
        List<CompletableFuture<HttpResponse<String>>> slow =
                List.of(server.getLater("7/events/count"), server.getLater("7/events?limit=5"));
        assertThat(held.await(10, TimeUnit.SECONDS)).isTrue();
        HttpResponse<String> refused = server.get("7/events/count");
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).contains("overloaded");
        release.countDown();
        slow.forEach(answer -> assertThat(answer.join().statusCode()).isEqualTo(200));
        for (int n = 0; n < 5 * SLOTS; n++) {
            assertThat(server.get("7/events/count").statusCode()).isEqualTo(200);
        }
        assertThat(timed("count", "overloaded")).isEqualTo(1);
        // A client has its answer before the slot is given back and the read is counted.
        Awaitility.await("the last read counted").untilAsserted(() -> {
            assertThat(timed("count", "answered")).isEqualTo(1 + 5 * SLOTS);
            assertThat(server.meters.get("porcupine.query.slots.free").gauge().value())
                    .isEqualTo(SLOTS);
        });
    }

    @Test
    void an_unavailable_history_is_said_so_and_holds_no_slot() {
        history.beforeRead(rows -> {
            throw new HistoryReadException(Kind.UNAVAILABLE, "no answer", new IllegalStateException());
        });
        for (String path : List.of("7/events/count", "7/events", "7/events/" + StoredEvents.uuid(1))) {
            for (int n = 0; n <= SLOTS; n++) {
                HttpResponse<String> answer = server.get(path);
                assertThat(answer.statusCode()).isEqualTo(503);
                assertThat(answer.body()).contains("history_unavailable").contains("no answer");
            }
        }
        history.beforeRead(rows -> {});
        assertThat(server.get("7/events/count").statusCode()).isEqualTo(200);
    }

    @Test
    void a_page_over_historys_limit_is_read_in_halves() {
        history.beforeRead(rows -> refuseOver(20, rows));
        HttpResponse<String> answer = server.get("7/events?limit=90");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body().split("\"uuid\"", -1)).hasSize(91);
        assertThat(history.pageLimits()).containsExactly(90, 45, 22, 11, 11, 11, 11, 11, 11, 11, 11, 2);
    }

    @Test
    void a_limit_that_even_one_row_meets_is_said_so() {
        history.beforeRead(rows -> refuseOver(0, rows));
        HttpResponse<String> answer = server.get("7/events?limit=1000");
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).contains("query_limit");
        assertThat(history.pageLimits()).containsExactly(1_000, 500, 250, 125, 62, 31, 15, 7, 3, 1);
    }

    @Test
    void a_read_that_fails_for_another_reason_gives_its_slot_back() {
        history.beforeRead(rows -> {
            throw new IllegalStateException("a bug");
        });
        for (int n = 0; n <= SLOTS; n++) {
            assertThat(server.get("7/events/count").statusCode()).isEqualTo(500);
        }
        history.beforeRead(rows -> {});
        assertThat(server.get("7/events/count").statusCode()).isEqualTo(200);
    }

    @Test
    void every_meter_is_visible_before_the_first_read() {
        assertThat(server.meters.find("porcupine.query.duration").timers()).hasSize(18);
    }

    private static void refuseOver(int most, int rows) {
        if (rows > most) {
            throw new HistoryReadException(Kind.LIMIT, "too large", new IllegalStateException());
        }
    }

    private long timed(String read, String outcome) {
        return server.meters
                .get("porcupine.query.duration")
                .tag("read", read)
                .tag("outcome", outcome)
                .timer()
                .count();
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(10, TimeUnit.SECONDS)) {
                throw new AssertionError("never released");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
