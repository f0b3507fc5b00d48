package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.Fault;
import dev.porcupine.testkit.FaultProxy;
import dev.porcupine.testkit.SharedClickHouse;
import dev.porcupine.testkit.WireRequest;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An event behind a server or a wire that misbehaves: its lookup may fail, it must never say "absent" or what another table holds. */
@Timeout(240)
class NewestFaultTest {

    private static final Predicate<WireRequest> READS = mentioning("order by revision desc");
    private static final Predicate<WireRequest> PROBES = mentioning(ProbeStatement.MARKER);

    private final ClickHouseEndpoint server = SharedClickHouse.endpoint();
    private final String database = server.freshDatabase();
    private final FaultProxy proxy = FaultProxy.before(server.url());
    private final ProjectId project = Sample.freshProject();
    private final Event known = Sample.event(project);
    private final History history = Histories.clickHouse(
            new ClickHouseSettings(proxy.url(), database, "events", server.user(), server.password(), null, null, null),
            new SimpleMeterRegistry());
    private final VerifiedSource source = ((Verification.Verified) history.verify()).source();

    @BeforeEach
    void insertTheKnown() {
        assertThat(history.insert(source, List.of(known))).isInstanceOf(InsertResult.Acknowledged.class);
    }

    @AfterEach
    void close() {
        history.close();
        proxy.close();
        server.query("drop database if exists " + database);
    }

    @Test
    void read_that_breaks_off_fails() {
        proxy.next(1, Fault.cutAfterUpstream(), READS);
        assertFailed(ProbeFailure.OUTAGE);
    }

    @Test
    void read_that_hangs_ends_at_the_total() {
        proxy.next(1, Fault.hang(), READS);
        assertFailed(ProbeFailure.OUTAGE);
    }

    @Test
    void read_that_finds_nothing_proves_nothing_without_its_probe() {
        Event unknown = Sample.event(project);
        proxy.next(1, Fault.cutAfterUpstream(), PROBES);
        assertThat(history.newest(source, unknown.identity(), Duration.ofSeconds(3)))
                .isInstanceOfSatisfying(
                        NewestResult.Failed.class,
                        failed -> assertThat(failed.failure()).isEqualTo(ProbeFailure.OUTAGE));
        assertThat(history.newest(source, unknown.identity(), Duration.ofSeconds(3)))
                .isEqualTo(new NewestResult.Absent());
    }

    @Test
    void table_exchanged_before_the_read_ended_voids_both_answers() {
        server.query("create table " + database + ".other as " + database + ".events");
        server.query("exchange tables " + database + ".events and " + database + ".other");
        assertFailed(ProbeFailure.SOURCE_CHANGED);
        server.query("insert into " + database + ".events select * from " + database + ".other");
        assertFailed(ProbeFailure.SOURCE_CHANGED);
    }

    private void assertFailed(ProbeFailure failure) {
        assertThat(history.newest(source, known.identity(), Duration.ofSeconds(2)))
                .isInstanceOfSatisfying(
                        NewestResult.Failed.class,
                        failed ->
                                assertThat(failed.failure()).as(failed.detail()).isEqualTo(failure));
    }

    private static Predicate<WireRequest> mentioning(String text) {
        return request -> new String(request.body(), StandardCharsets.UTF_8).contains(text);
    }
}
