package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.ProjectId;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.SharedClickHouse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The check after each insert and probe takes 64 KiB, and the server lists a hundred mutations that are done. Updates are harmless to
 * verification, however many and long: the stamp must not grow with them.
 */
class StampSizeTest {

    private final ClickHouseEndpoint server = SharedClickHouse.endpoint();

    @Test
    void a_harmless_update_with_a_long_condition_does_not_stop_delivery_and_lookups() {
        String database = server.freshDatabase();
        try (History history = history(database)) {
            source(history);
            String uuids = IntStream.range(0, 900)
                    .mapToObj(n -> "'" + UUID.randomUUID() + "'")
                    .collect(Collectors.joining(","));
            server.query("alter table " + database + ".events update properties = '{}' where uuid in (" + uuids
                    + ") settings mutations_sync = 2");
            assertStillWorks(history);
        }
    }

    @Test
    void a_hundred_harmless_updates_do_not_stop_delivery_and_lookups() {
        String database = server.freshDatabase();
        try (History history = history(database)) {
            source(history);
            for (int n = 0; n < 100; n++) {
                server.query("alter table " + database + ".events update properties = replaceAll(properties, 'person-"
                        + n
                        + "@example.com', 'removed on request') where project_id = 1 and distinct_id in ('person-" + n
                        + "@example.com', "
                        + IntStream.range(0, 6)
                                .mapToObj(i -> "'anonymous-" + UUID.randomUUID() + "'")
                                .collect(Collectors.joining(","))
                        + ") settings mutations_sync = 2");
            }
            assertStillWorks(history);
        }
    }

    private static void assertStillWorks(History history) {
        ProjectId project = Sample.freshProject();
        VerifiedSource source = source(history);
        InsertResult inserted = history.insert(source, Sample.events(project, 1));
        ProbeResult probed = history.probe(
                source, Set.of(Sample.event(project).identity()), Duration.ofSeconds(5), ProbePurpose.CAPTURE);
        assertThat(inserted).isEqualTo(new InsertResult.Acknowledged());
        assertThat(probed).isInstanceOf(ProbeResult.Complete.class);
    }

    private static VerifiedSource source(History history) {
        Verification verification = history.verify();
        assertThat(verification).isInstanceOf(Verification.Verified.class);
        return ((Verification.Verified) verification).source();
    }

    private History history(String database) {
        return new ClickHouseHistory(
                new ClickHouseSettings(
                        server.url(), database, "events", server.user(), server.password(), null, null, null),
                ClickHouseDeadlines.PRODUCTION,
                new SimpleMeterRegistry(),
                () -> Reliance.COMING,
                null,
                OwnRemovals.NONE);
    }
}
