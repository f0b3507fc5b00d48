package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.testkit.ClickHouseServer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A ClickHouse that hangs, dies or is gone. */
@Timeout(240)
class ClickHouseOutageTest {

    private static final ClickHouseDeadlines SHORT = new ClickHouseDeadlines(
            Duration.ofSeconds(2), Duration.ofSeconds(2), Duration.ofSeconds(2), Duration.ofSeconds(2));

    /** For a busy machine: far less than a hang, more than the deadlines. */
    private static final Duration SOON = Duration.ofSeconds(8);

    private final ProjectId project = Sample.freshProject();
    private ClickHouseServer server;
    private History history;

    @BeforeEach
    void start() {
        server = ClickHouseServer.start();
        history = open(SHORT);
    }

    @AfterEach
    void stop() {
        history.close();
        server.close();
    }

    @Test
    void a_hung_server_is_unknown_within_the_deadline_and_trusted_again_afterwards() {
        VerifiedSource source = source();
        Event event = Sample.event(project);
        server.suspend();

        long begun = System.nanoTime();
        assertThat(history.insert(source, List.of(event))).isInstanceOf(InsertResult.Unknown.class);
        assertThat(history.verify()).isInstanceOf(Verification.Refused.class);
        assertThat(catchThrowableOfType(HistoryReadException.class, () -> history.count(project))
                        .kind())
                .isEqualTo(HistoryReadException.Kind.UNAVAILABLE);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(SOON);

        server.resume();
        assertThat(source().tableUuid()).isEqualTo(source.tableUuid());
        insert(List.of(event));
        assertThat(history.count(project)).isOne();
    }

    @Test
    void each_look_at_a_hung_server_ends_before_the_next() {
        source();
        server.suspend();

        for (int i = 0; i < 3; i++) {
            // A look that were still stuck would make the next one say so.
            assertThat(history.verify())
                    .isInstanceOfSatisfying(
                            Verification.Refused.class,
                            refused -> assertThat(refused.findings())
                                    .extracting(Finding::detail)
                                    .allSatisfy(detail -> assertThat(detail).contains("no complete answer")));
        }
        server.resume();
        source();
    }

    @Test
    void a_stopped_server_is_refused_at_once() {
        VerifiedSource source = source();
        server.stop();

        assertThat(history.insert(source, List.of(Sample.event(project)))).isInstanceOf(InsertResult.Unknown.class);
        assertThat(history.verify())
                .isInstanceOfSatisfying(
                        Verification.Refused.class,
                        refused -> assertThat(refused.findings())
                                .extracting(Finding::code)
                                .containsExactly("clickhouse_unreachable"));

        server.restart();
        assertThat(source().tableUuid()).isEqualTo(source.tableUuid());
    }

    @Test
    void a_server_killed_during_inserts_holds_every_acknowledged_event_once() throws Exception {
        history.close();
        history = open(ClickHouseDeadlines.PRODUCTION);
        VerifiedSource source = source();
        List<Event> events = Sample.events(project, 60_000);
        CompletableFuture<Integer> inserting = CompletableFuture.supplyAsync(() -> {
            int acknowledged = 0;
            for (int from = 0; from < events.size(); from += 500) {
                if (history.insert(source, events.subList(from, from + 500)) instanceof InsertResult.Acknowledged) {
                    acknowledged = from + 500;
                } else {
                    break;
                }
            }
            return acknowledged;
        });
        CompletableFuture<Void> killing =
                CompletableFuture.runAsync(server::kill, CompletableFuture.delayedExecutor(400, TimeUnit.MILLISECONDS));

        int acknowledged = inserting.get(60, TimeUnit.SECONDS);
        killing.get(60, TimeUnit.SECONDS);
        server.restart();
        source();

        assertThat(acknowledged).as("the kill met the inserts").isBetween(1, events.size() - 500);
        assertThat(history.count(project)).isGreaterThanOrEqualTo(acknowledged);
        for (int from = Math.max(0, acknowledged - 5_000); from < events.size(); from += 5_000) {
            insert(events.subList(from, Math.min(events.size(), from + 5_000)));
        }
        assertThat(history.count(project)).isEqualTo(events.size());
    }

    private VerifiedSource source() {
        Verification verification = history.verify();
        assertThat(verification).isInstanceOf(Verification.Verified.class);
        return ((Verification.Verified) verification).source();
    }

    private void insert(List<Event> events) {
        assertThat(history.insert(source(), events)).isEqualTo(new InsertResult.Acknowledged());
    }

    private History open(ClickHouseDeadlines deadlines) {
        return new ClickHouseHistory(
                new ClickHouseSettings(
                        server.url(), "porcupine", "events", server.user(), server.password(), null, null, null),
                deadlines,
                new SimpleMeterRegistry(),
                () -> Reliance.NONE,
                null,
                OwnRemovals.NONE);
    }
}
