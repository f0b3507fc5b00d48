package dev.porcupine.ledger;

import static dev.porcupine.ledger.MutationsTest.revised;
import static dev.porcupine.ledger.MutationsTest.tombstone;
import static dev.porcupine.ledger.Samples.event;
import static dev.porcupine.ledger.Samples.events;
import static dev.porcupine.ledger.Samples.queued;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What readers lay over history. */
class PendingRevisionsTest {

    @TempDir
    private Path dir;

    private Ledger ledger;
    private ProjectId project;

    @BeforeEach
    void open() {
        ledger = Samples.open(dir);
        project = ledger.projects().create("shop").project().id();
        Samples.accept(ledger, events(project, 0, 5));
    }

    @AfterEach
    void close() {
        ledger.close();
    }

    @Test
    void originals_are_not_pending_mutations() {
        assertThat(page(10)).isEqualTo(new PendingPage(Set.of(), List.of(), false));
    }

    @Test
    void only_the_newest_revision_shows_until_it_is_settled() {
        Event second = mutate(revised(event(project, 1), 2));
        Event third = mutate(revised(event(project, 1), 3));
        mutate(tombstone(event(project, 2), 2));
        assertThat(page(10).events()).containsExactly(third);
        assertThat(page(10).uuids()).containsExactlyInAnyOrder(uuid(1), uuid(2));
        assertThat(ledger.pendingRevisions().deleted(project)).containsExactly(uuid(2));

        settle(second);
        assertThat(page(10).events()).containsExactly(third);
        settle(third);
        assertThat(page(10).uuids()).containsExactly(uuid(2));
        ledger.queue().settle(queued(ledger), Samples.SOURCE);
        assertThat(page(10).uuids()).isEmpty();
        assertThat(ledger.pendingRevisions().deleted(project)).isEmpty();
    }

    @Test
    void an_old_revision_that_comes_last_changes_nothing() {
        Event second = mutate(revised(event(project, 1), 2));
        ledger.queue().quarantine(List.of(queuedAs(second)), "poison");
        Event third = mutate(revised(event(project, 1), 3));
        settle(third);
        assertThat(page(10).uuids()).as("the newest is in history").isEmpty();
        assertThat(ledger.quarantine()
                        .retry(
                                project,
                                ledger.quarantine()
                                        .list(project, 0, 1)
                                        .getFirst()
                                        .seq()))
                .isTrue();
        assertThat(page(10).uuids()).isEmpty();
    }

    @Test
    void a_quarantined_revision_is_still_pending() {
        Event second = mutate(revised(event(project, 1), 2));
        Event gone = mutate(tombstone(event(project, 2), 2));
        ledger.queue().quarantine(List.of(queuedAs(second), queuedAs(gone)), "poison");
        assertThat(page(10).events()).containsExactly(second);
        assertThat(ledger.pendingRevisions().deleted(project)).containsExactly(uuid(2));
    }

    @Test
    void a_head_without_its_revision_hides_nothing() {
        Event second = mutate(revised(event(project, 1), 2));
        ledger.queue().quarantine(List.of(queuedAs(second)), "poison");
        RawRows.in(ledger, "delete from event_quarantine");
        assertThat(page(10).uuids()).isEmpty();
    }

    @Test
    void matching_ones_come_newest_first_within_both_bounds() {
        for (long n = 0; n < 5; n++) {
            mutate(revised(event(project, n), 2));
        }
        assertThat(page(2).events()).containsExactly(revised(event(project, 4), 2), revised(event(project, 3), 2));
        assertThat(page(2).more()).isTrue();
        assertThat(page(5).more()).isFalse();
        assertThat(filtered(null, "user-3", null, null, null, 10, 1_000).events())
                .containsExactly(revised(event(project, 3), 2));
        assertThat(filtered("none", null, null, null, null, 10, 1_000).events()).isEmpty();
        long third = revised(event(project, 3), 2).timestampMicros();
        assertThat(filtered(null, null, third, third + 1, null, 10, 1_000).events())
                .containsExactly(revised(event(project, 3), 2));
        assertThat(filtered(null, null, null, null, revised(event(project, 1), 2), 10, 1_000)
                        .events())
                .containsExactly(revised(event(project, 0), 2));
        PendingPage cut = filtered(null, null, null, null, null, 10, 1);
        assertThat(cut.events()).hasSize(1);
        assertThat(cut.more()).isTrue();
        assertThat(cut.uuids()).hasSize(5);
    }

    @Test
    void projects_do_not_see_each_others_mutations() {
        mutate(revised(event(project, 1), 2));
        project = ledger.projects().create("other").project().id();
        assertThat(page(10).uuids()).isEmpty();
    }

    @Test
    void more_than_a_read_can_carry_is_refused_and_exactly_as_many_are_not() {
        int more = PendingRevisions.UUIDS_MAX - 1;
        RawRows.in(ledger, """
            insert into event_queue (
                project_id, uuid, revision, is_deleted, name, distinct_id, timestamp_us, received_at, bytes, properties, protocol)
            with recursive n(i) as (select 1 union all select i + 1 from n where i < %d)
            select %s, unhex(printf('%%032x', i)), 2, 0, 'n', 'd', i, 0, 1, '{}', 2 from n
            """.formatted(more, project));
        RawRows.in(ledger, """
            insert into mutation_heads (project_id, uuid, revision, is_deleted, received_at, pending)
            select project_id, uuid, revision, 0, 0, 1 from event_queue where revision = 2
            """);
        mutate(revised(event(project, 1), 2));
        assertThat(page(10).uuids()).hasSize(PendingRevisions.UUIDS_MAX);
        mutate(revised(event(project, 2), 2));
        assertThatThrownBy(() -> page(10))
                .isInstanceOfSatisfying(
                        ProblemException.class, e -> assertThat(e.problem()).isEqualTo(Problem.MUTATIONS_PENDING));
        assertThat(ledger.pendingRevisions().deleted(project)).isEmpty();
    }

    @Test
    void a_read_costs_what_is_pending_and_not_what_was_ever_mutated() throws SQLException {
        for (String sql : List.of(PendingRevisions.PENDING, PendingRevisions.MATCHING)) {
            try (Connection connection =
                            DriverManager.getConnection("jdbc:sqlite:" + dir.resolve(LedgerFile.FILE_NAME));
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("explain query plan " + sql)) {
                int heads = 0;
                while (row.next()) {
                    String step = row.getString("detail");
                    assertThat(step).doesNotContain("SCAN h").doesNotContain("SCAN q");
                    if (step.startsWith("SEARCH h ")) {
                        heads++;
                        assertThat(step).contains("mutation_heads_pending");
                    }
                }
                assertThat(heads).isPositive();
            }
        }
    }

    private PendingPage page(int eventsMax) {
        return filtered(null, null, null, null, null, eventsMax, 1 << 20);
    }

    private PendingPage filtered(
            @Nullable String name,
            @Nullable String distinctId,
            @Nullable Long from,
            @Nullable Long to,
            @Nullable Event after,
            int eventsMax,
            long bytesMax) {
        return ledger.pendingRevisions()
                .page(new PendingFilter(
                        project,
                        name,
                        distinctId,
                        from,
                        to,
                        after == null ? null : after.timestampMicros(),
                        after == null ? null : after.identity().uuid(),
                        eventsMax,
                        bytesMax));
    }

    private Event mutate(Event revision) {
        assertThat(ledger.mutations()
                        .mutate(revision, ledger.mutations().trace(revision.identity()), MutationsTest.WAIT))
                .isEqualTo(new MutateResult.Written());
        return revision;
    }

    private void settle(Event event) {
        ledger.queue().settle(List.of(queuedAs(event)), Samples.SOURCE);
    }

    private QueuedEvent queuedAs(Event event) {
        return queued(ledger).stream()
                .filter(row -> row.event().equals(event))
                .findFirst()
                .orElseThrow();
    }

    private EventUuid uuid(long number) {
        return event(project, number).identity().uuid();
    }
}
