package dev.porcupine.ledger;

import static dev.porcupine.ledger.Samples.event;
import static dev.porcupine.ledger.Samples.events;
import static dev.porcupine.ledger.Samples.kinds;
import static dev.porcupine.ledger.Samples.queued;
import static dev.porcupine.ledger.Samples.times;
import static dev.porcupine.ledger.Samples.uuid;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.porcupine.ledger.Verdict.Kind;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProjectId;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AcceptanceTest {

    @TempDir
    private Path dir;

    private Ledger ledger;
    private ProjectId project;

    @BeforeEach
    void open() {
        ledger = Samples.open(dir);
        project = ledger.projects().create("shop").project().id();
    }

    @AfterEach
    void close() {
        ledger.close();
    }

    @Test
    void new_events_are_accepted_and_queued_as_they_came() {
        List<Event> batch = events(project, 0, 3);

        assertThat(kinds(Samples.accept(ledger, batch))).isEqualTo(times(3, Kind.ACCEPTED));

        assertThat(queued(ledger)).extracting(QueuedEvent::event).containsExactlyElementsOf(batch);
        assertThat(queued(ledger)).extracting(QueuedEvent::seq).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void an_event_is_known_in_queue_quarantine_and_by_receipt() {
        Samples.accept(ledger, events(project, 0, 3));
        List<QueuedEvent> queued = queued(ledger);
        ledger.queue().settle(queued.subList(1, 2), Samples.SOURCE);
        ledger.queue().quarantine(queued.subList(2, 3), "bad");

        assertThat(kinds(Samples.accept(ledger, events(project, 0, 4))))
                .containsExactly(Kind.KNOWN_IN_QUEUE, Kind.KNOWN_BY_RECEIPT, Kind.KNOWN_IN_QUARANTINE, Kind.ACCEPTED);
    }

    @Test
    void a_head_alone_makes_an_event_known() throws Exception {
        RawRows.in(
                ledger,
                "insert into mutation_heads (project_id, uuid, revision, is_deleted, received_at) values (%d, x'%s', 2, 1, 0)"
                        .formatted(project.value(), hex(7)));

        assertThat(kinds(Samples.accept(ledger, events(project, 7, 8)))).containsExactly(Kind.KNOWN_BY_HEAD);
    }

    @Test
    void a_queued_revision_alone_makes_its_original_known() throws Exception {
        RawRows.in(
                ledger,
                "insert into event_queue (project_id, uuid, revision, is_deleted, name, distinct_id, timestamp_us,"
                        + " received_at, bytes, properties)"
                        + " values (%d, x'%s', 2, 0, 'signup', 'user-7', 0, 0, 10, x'7b7d')"
                                .formatted(project.value(), hex(7)));

        assertThat(kinds(Samples.accept(ledger, events(project, 7, 8)))).containsExactly(Kind.KNOWN_IN_QUEUE);
    }

    @Test
    void the_first_payload_wins() {
        Event first = event(project, 1);
        Event later = Event.original(first.identity(), "signup", "user-1", 5, 5, "{}".getBytes(StandardCharsets.UTF_8));
        Samples.accept(ledger, List.of(first));

        assertThat(kinds(Samples.accept(ledger, List.of(later)))).containsExactly(Kind.KNOWN_IN_QUEUE);

        assertThat(queued(ledger)).extracting(QueuedEvent::event).containsExactly(first);
    }

    @Test
    void a_duplicate_with_another_name_or_distinct_id_is_a_conflict_wherever_it_is_known() {
        Samples.accept(ledger, events(project, 0, 3));
        List<QueuedEvent> queued = queued(ledger);
        ledger.queue().settle(queued.subList(1, 2), Samples.SOURCE);
        ledger.queue().quarantine(queued.subList(2, 3), "bad");

        for (long n = 0; n < 3; n++) {
            assertThat(verdict(event(project, n)).conflict())
                    .as("same texts, " + n)
                    .isFalse();
            assertThat(verdict(event(project, n, "login", "user-" + n)).conflict())
                    .as("name, " + n)
                    .isTrue();
            assertThat(verdict(event(project, n, "signup", "user-x")).conflict())
                    .as("distinct_id, " + n)
                    .isTrue();
        }
    }

    @Test
    void the_same_uuid_in_two_projects_is_two_events() {
        ProjectId other = ledger.projects().create("blog").project().id();
        Samples.accept(ledger, events(project, 0, 1));

        assertThat(kinds(Samples.accept(ledger, events(other, 0, 1)))).containsExactly(Kind.ACCEPTED);
        ledger.queue().settle(queued(ledger), Samples.SOURCE);
        assertThat(kinds(Samples.accept(ledger, events(other, 0, 1)))).containsExactly(Kind.KNOWN_BY_RECEIPT);
        assertThat(ledger.status().receipts()).isEqualTo(2);
    }

    @Test
    void texts_and_payloads_come_back_byte_for_byte() {
        byte[] payload = "{\"a\\u0000\":1e400,\"b\":1.50,\"c\":\"\u0000😀\"}".getBytes(StandardCharsets.UTF_8);
        Event odd = Event.original(
                new EventIdentity(project, uuid(1)),
                "na\u0000me 😀\n",
                "\u0000",
                Long.MIN_VALUE,
                Long.MAX_VALUE,
                payload);
        Event empty = Event.original(new EventIdentity(project, uuid(2)), "e", "d", 0, 0, new byte[0]);

        Samples.accept(ledger, List.of(odd, empty));

        assertThat(queued(ledger)).extracting(QueuedEvent::event).containsExactly(odd, empty);
        assertThat(verdict(odd).conflict()).isFalse();
        ledger.queue().settle(queued(ledger), Samples.SOURCE);
        assertThat(verdict(odd)).isEqualTo(new Verdict(Kind.KNOWN_BY_RECEIPT, false));
    }

    @Test
    void a_batch_that_is_not_originals_of_one_project_is_a_bug_of_the_caller() {
        Event original = event(project, 1);
        Event revision = new Event(original.identity(), 2, false, "a", "b", 0, 0, new byte[0]);
        Event tombstone = new Event(original.identity(), 1, true, "a", "b", 0, 0, new byte[0]);
        Event foreign = event(new ProjectId(project.value() + 1), 2);

        for (List<Event> wrong : List.of(
                List.<Event>of(),
                List.of(revision),
                List.of(tombstone),
                List.of(original, original),
                List.of(original, foreign))) {
            assertThatThrownBy(() -> Samples.accept(ledger, wrong)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(ledger.status().queueEvents()).isZero();
    }

    @Test
    void an_event_of_an_unknown_project_is_refused_and_the_next_batch_is_not() {
        AcceptResult refused = Samples.accept(ledger, events(new ProjectId(999), 0, 2));

        assertThat(refused)
                .isInstanceOfSatisfying(
                        AcceptResult.Refused.class, r -> assertThat(r.problem()).isEqualTo(Problem.TOKEN_INVALID));
        assertThat(kinds(Samples.accept(ledger, events(project, 0, 2)))).isEqualTo(times(2, Kind.ACCEPTED));
        assertThat(ledger.status().queueEvents()).isEqualTo(2);
    }

    @Test
    void the_counters_follow_every_move() {
        Samples.accept(ledger, events(project, 0, 10));
        List<QueuedEvent> queued = queued(ledger);
        long bytes = queued.stream().mapToLong(QueuedEvent::bytes).sum();
        assertThat(ledger.status())
                .isEqualTo(new LedgerStatus(0, 0, 0, 0, true, 10, bytes, 1_000_000, 1L << 30, 0, 0, 0));

        ledger.queue().settle(queued.subList(0, 4), Samples.SOURCE);
        ledger.queue().quarantine(queued.subList(4, 6), "bad");

        long left = queued(ledger).stream().mapToLong(QueuedEvent::bytes).sum();
        assertThat(ledger.status())
                .isEqualTo(new LedgerStatus(4, 0, 4, 0, true, 4, left, 1_000_000, 1L << 30, 2, 0, 0));
        assertThat(RawRows.counted(ledger)).isEqualTo(ledger.status());
    }

    private Verdict verdict(Event event) {
        return ((AcceptResult.Committed) Samples.accept(ledger, List.of(event)))
                .verdicts()
                .getFirst();
    }

    private static String hex(long number) {
        return HexFormat.of().formatHex(uuid(number).toBytes());
    }
}
