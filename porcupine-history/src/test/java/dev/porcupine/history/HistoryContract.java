package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.porcupine.history.EventQuery.Position;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What every kind of history promises. */
abstract class HistoryContract {

    private final ProjectId project = Sample.freshProject();

    abstract History history();

    @Test
    void a_sound_store_is_verified_with_the_same_identity_each_time() {
        assertThat(source().tableUuid()).isEqualTo(source().tableUuid());
    }

    @Test
    void an_empty_project_has_no_events() {
        source();

        assertThat(history().count(project)).isZero();
        assertThat(history().find(new EventIdentity(project, Sample.freshUuid())))
                .isEmpty();
        assertThat(history().page(Sample.firstPage(project, 10))).isEmpty();
    }

    @Test
    void an_empty_batch_is_acknowledged() {
        assertThat(history().insert(source(), List.of())).isEqualTo(new InsertResult.Acknowledged());
    }

    @Test
    void an_acknowledged_event_is_found_as_it_was_written() {
        Event event = Sample.event(project);

        insert(event);

        assertThat(history().find(event.identity())).contains(event);
        assertThat(history().page(Sample.firstPage(project, 10))).containsExactly(event);
        assertThat(history().count(project)).isOne();
    }

    @Test
    void writing_the_same_batch_again_changes_nothing() {
        List<Event> events = Sample.events(project, 300);

        insert(events);
        insert(events);
        insert(events.subList(100, 200));

        assertThat(history().count(project)).isEqualTo(300);
        assertThat(history().page(Sample.firstPage(project, 1000))).hasSize(300);
    }

    @Test
    void an_event_twice_in_one_batch_counts_once() {
        Event event = Sample.event(project);

        insert(event, event);

        assertThat(history().count(project)).isOne();
    }

    @Test
    void the_newest_revision_wins_whatever_order_they_arrive_in() {
        Event original = Sample.event(project);
        List<Event> revisions = new ArrayList<>(List.of(
                original, Sample.revised(original, 2), Sample.revised(original, 3), Sample.revised(original, 9)));
        for (long seed = 1; seed <= 4; seed++) {
            ProjectId other = Sample.freshProject();
            EventIdentity identity =
                    new EventIdentity(other, original.identity().uuid());
            Collections.shuffle(revisions, new Random(seed));
            for (Event revision : revisions) {
                insert(inProject(revision, other));
            }

            Event newest = inProject(Sample.revised(original, 9), other);
            assertThat(history().find(identity)).as("seed %d", seed).contains(newest);
            assertThat(history().page(Sample.firstPage(other, 10))).containsExactly(newest);
            assertThat(history().count(other)).isOne();
        }
    }

    @Test
    void the_newest_of_several_revisions_in_one_batch_wins() {
        Event original = Sample.event(project);

        insert(Sample.revised(original, 3), original, Sample.revised(original, 2));

        assertThat(history().find(original.identity())).contains(Sample.revised(original, 3));
        assertThat(history().count(project)).isOne();
    }

    @Test
    void an_erased_project_has_no_physical_row_and_the_others_keep_theirs() {
        ProjectId other = Sample.freshProject();
        List<Event> kept = Sample.events(other, 40);
        insert(kept);
        List<Event> events = Sample.events(project, 600);
        insert(events);
        insert(Sample.revised(events.getFirst(), 2), Sample.tombstone(events.getLast(), 2));
        VerifiedSource source = source();
        ProjectErasure erasure = history().erasure();
        assertThat(erasure.look(source, project)).isInstanceOf(EraseResult.Left.class);

        assertThat(erasure.erase(source, project)).isEqualTo(new EraseResult.Empty());

        assertThat(erasure.look(source, project)).isEqualTo(new EraseResult.Empty());
        assertThat(erasure.erase(source, project)).isEqualTo(new EraseResult.Empty());
        assertThat(history().find(events.getLast().identity())).isEmpty();
        assertThat(history().count(other)).isEqualTo(40);
        assertThat(history().page(Sample.firstPage(other, 100))).containsAll(kept);
    }

    @Test
    void what_comes_in_after_an_erasure_is_seen_and_erased_by_the_next() {
        VerifiedSource source = source();
        ProjectErasure erasure = history().erasure();
        insert(Sample.events(project, 3));
        assertThat(erasure.erase(source, project)).isEqualTo(new EraseResult.Empty());

        insert(Sample.events(project, 2));

        assertThat(erasure.look(source, project)).isEqualTo(new EraseResult.Left(2));
        assertThat(erasure.erase(source, project)).isEqualTo(new EraseResult.Empty());
    }

    @Test
    void a_tombstone_is_found_but_neither_counted_nor_listed() {
        Event kept = Sample.event(project);
        Event deleted = Sample.event(project);
        insert(kept, deleted);

        insert(Sample.tombstone(deleted, 2));

        assertThat(history().count(project)).isOne();
        assertThat(history().page(Sample.firstPage(project, 10))).containsExactly(kept);
        assertThat(history().find(deleted.identity())).contains(Sample.tombstone(deleted, 2));
    }

    @Test
    void a_late_original_does_not_bring_a_deleted_event_back() {
        Event original = Sample.event(project);
        insert(Sample.tombstone(original, 2));

        insert(original);

        assertThat(history().count(project)).isZero();
        assertThat(history().page(Sample.firstPage(project, 10))).isEmpty();
    }

    @Test
    void filters_look_at_the_newest_revision_only() {
        Event original = Sample.named(Sample.event(project), "old name", "old id");
        insert(original);
        insert(Sample.named(Sample.revised(original, 2), "new name", "new id"));

        assertThat(names("old name")).isEmpty();
        assertThat(names("new name")).hasSize(1);
        assertThat(history().page(new EventQuery(project, null, "old id", null, null, null, 10)))
                .isEmpty();
        assertThat(history().page(new EventQuery(project, null, null, null, Sample.TIMESTAMP + 1, null, 10)))
                .as("the revision moved the event's timestamp by two microseconds")
                .isEmpty();
    }

    @Test
    void projects_do_not_see_each_other() {
        ProjectId other = Sample.freshProject();
        EventUuid uuid = Sample.freshUuid();
        Event mine = Sample.event(project, uuid);
        Event theirs = Sample.withProperties(Sample.event(other, uuid), "{\"theirs\":true}");

        insert(mine, theirs);

        assertThat(history().find(mine.identity())).contains(mine);
        assertThat(history().find(theirs.identity())).contains(theirs);
        assertThat(history().count(project)).isOne();
        assertThat(history().page(Sample.firstPage(other, 10))).containsExactly(theirs);
    }

    @Test
    void properties_come_back_byte_for_byte() {
        List<String> texts = List.of(
                "{}",
                "{\"price\":1.50,\"big\":1e400,\"long\":123456789012345678901234567890,\"minus\":-0.0}",
                "{ \"b\" : 1,\n\t\"a\" : 2 }",
                "{\"nul\":\"\\u0000\",\"surrogate\":\"\\ud83d\\ude00\",\"slash\":\"\\/\"}",
                "{\"emoji\":\"\uD83D\uDE00\",\"quote\":\"it's \\\"so\\\"\",\"backslash\":\"\\\\\",\"line\":\"\u2028\"}",
                "{\"same\":1,\"same\":2}");
        List<Event> events = texts.stream()
                .map(text -> Sample.withProperties(Sample.event(project), text))
                .toList();

        insert(events);

        for (Event event : events) {
            assertThat(history().find(event.identity())).contains(event);
        }
        assertThat(history().page(Sample.firstPage(project, 10))).containsExactlyInAnyOrderElementsOf(events);
    }

    @Test
    void names_and_ids_come_back_and_are_matched_exactly() {
        List<String> texts = List.of(
                "plain",
                "it's",
                "back\\slash",
                "tab\tand\nline",
                "nul\0inside",
                "quote\"",
                "{name}",
                "%",
                "\uD83D\uDE00",
                "Plain",
                "plain ",
                "x".repeat(5_000),
                "unhex('00')",
                "é",
                "e\u0301");
        List<Event> events = texts.stream()
                .map(text -> Sample.named(Sample.event(project), text, "id of " + text))
                .toList();

        insert(events);

        for (Event event : events) {
            assertThat(names(event.name())).containsExactly(event);
            assertThat(history().page(new EventQuery(project, null, event.distinctId(), null, null, null, 10)))
                    .containsExactly(event);
        }
    }

    @Test
    void no_timestamp_that_capture_accepts_is_refused_or_changed() {
        List<Event> events = List.of(
                        "0000-01-01T00:00:00Z",
                        "1600-02-29T12:00:00Z",
                        "1899-12-31T23:59:59.999999Z",
                        "1900-01-01T00:00:00Z",
                        "1969-12-31T23:59:59.999999Z",
                        "1970-01-01T00:00:00Z",
                        "2106-02-07T06:28:16Z",
                        "2299-12-31T23:59:59.999999Z",
                        "2300-01-01T00:00:00Z",
                        "9999-12-31T23:59:59.999999Z")
                .stream()
                .map(text -> Sample.event(project, Sample.freshUuid(), micros(text)))
                .toList();

        insert(events);

        assertThat(history().page(Sample.firstPage(project, 100))).containsExactlyElementsOf(events.reversed());
        assertThat(history()
                        .page(new EventQuery(
                                project, null, null, micros("2299-12-31T23:59:59.999999Z"), null, null, 100)))
                .hasSize(3);
        assertThat(history().page(new EventQuery(project, null, null, null, micros("1900-01-01T00:00:00Z"), null, 100)))
                .hasSize(3);
    }

    @Test
    void from_is_inclusive_and_to_is_exclusive() {
        insert(Sample.events(project, 10));

        assertThat(history()
                        .page(new EventQuery(
                                project, null, null, Sample.TIMESTAMP + 3, Sample.TIMESTAMP + 6, null, 100)))
                .extracting(Event::timestampMicros)
                .containsExactly(Sample.TIMESTAMP + 5, Sample.TIMESTAMP + 4, Sample.TIMESTAMP + 3);
        assertThat(history()
                        .page(new EventQuery(project, null, null, Sample.TIMESTAMP + 3, Sample.TIMESTAMP + 3, null, 1)))
                .isEmpty();
    }

    @Test
    void equal_timestamps_are_ordered_by_the_bytes_of_the_uuid() {
        // Signed halves, swapped halves and reversed bytes each sort these otherwise.
        List<Event> events = new ArrayList<>(List.of(
                        "00000000-0000-0000-0000-000000000001",
                        "00000000-0000-0000-8000-000000000000",
                        "00000000-0000-0000-ff00-000000000000",
                        "00000000-0000-0001-0000-000000000000",
                        "0000000f-0000-0000-0000-000000000000",
                        "01000000-0000-0000-0000-00000000000f",
                        "7fffffff-ffff-ffff-0000-000000000000",
                        "80000000-0000-0000-ffff-ffffffffffff",
                        "ff000000-0000-0000-0000-000000000000")
                .stream()
                .map(text -> Sample.event(project, EventUuid.parse(text).orElseThrow()))
                .toList());
        Collections.shuffle(events, new Random(1));

        insert(events);

        assertThat(history().page(Sample.firstPage(project, 100)))
                .containsExactlyElementsOf(events.stream()
                        .sorted(Comparator.comparing(
                                        (Event event) -> event.identity().uuid())
                                .reversed())
                        .toList());
    }

    @Test
    void a_walk_over_pages_meets_every_event_once_and_in_order() {
        Random random = new Random(7);
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            // Few timestamps, so that pages end within a tie.
            events.add(Sample.event(
                    project,
                    new EventUuid(random.nextLong(), random.nextLong()),
                    Sample.TIMESTAMP + random.nextInt(12)));
        }
        insert(events.subList(0, 250));
        insert(events.subList(250, 500));
        insert(events.subList(200, 300));

        for (int limit : List.of(7, 100, 499, 500, 501, 1000)) {
            assertThat(walk(Sample.firstPage(project, limit)))
                    .as("pages of %d", limit)
                    .containsExactlyElementsOf(inPageOrder(events));
        }
    }

    @Test
    void a_walk_over_pages_of_one_event_ends() {
        List<Event> events = Sample.events(project, 20);
        insert(events);

        assertThat(walk(Sample.firstPage(project, 1))).containsExactlyElementsOf(events.reversed());
    }

    @Test
    void a_walk_keeps_its_filters() {
        List<Event> wanted = new ArrayList<>();
        List<Event> all = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            Event event = Sample.named(
                    Sample.event(project, Sample.freshUuid(), Sample.TIMESTAMP + i / 3),
                    i % 2 == 0 ? "even" : "odd",
                    "user-" + i % 5);
            all.add(event);
            boolean inTime = i / 3 >= 10 && i / 3 < 50;
            if (i % 2 == 0 && i % 5 == 2 && inTime) {
                wanted.add(event);
            }
        }
        insert(all);

        assertThat(walk(new EventQuery(
                        project, "even", "user-2", Sample.TIMESTAMP + 10, Sample.TIMESTAMP + 50, null, 3)))
                .containsExactlyElementsOf(inPageOrder(wanted));
    }

    @Test
    void a_batch_may_span_more_months_than_a_server_takes_by_default() {
        List<Event> events = new ArrayList<>();
        for (int month = 0; month < 130; month++) {
            long receivedAt = Instant.parse("2015-01-15T00:00:00Z")
                    .plusSeconds(month * 30L * 86_400)
                    .toEpochMilli();
            events.add(Sample.receivedAt(Sample.event(project), receivedAt));
        }

        insert(events);

        assertThat(history().count(project)).isEqualTo(130);
    }

    @Test
    void large_events_and_large_batches_are_taken() {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            events.add(Sample.withProperties(
                    Sample.event(project), "{\"n\":" + i + ",\"text\":\"" + "y".repeat(1_000_000) + "\"}"));
        }

        insert(events);

        assertThat(history().count(project)).isEqualTo(20);
        for (Event event : events) {
            assertThat(history().find(event.identity())).contains(event);
        }
    }

    @Test
    void a_page_too_large_for_the_heap_is_refused_and_a_smaller_one_is_not() {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            events.add(Sample.withProperties(
                    Sample.event(project), "{\"n\":" + i + ",\"text\":\"" + "z".repeat(1_000_000) + "\"}"));
        }
        insert(events.subList(0, 20));
        insert(events.subList(20, 40));

        assertThat(catchThrowableOfType(
                                HistoryReadException.class, () -> history().page(Sample.firstPage(project, 40)))
                        .kind())
                .isEqualTo(HistoryReadException.Kind.LIMIT);
        assertThat(walk(Sample.firstPage(project, 20))).hasSize(40);
    }

    @Test
    void events_left_out_are_neither_counted_nor_listed_in_any_revision() {
        List<Event> events = Sample.events(project, 6);
        insert(events);
        insert(Sample.revised(events.get(1), 2), Sample.tombstone(events.get(2), 2));
        Set<EventUuid> without = uuids(List.of(events.get(0), events.get(1), events.get(2), Sample.event(project)));

        assertThat(history().count(project, without)).isEqualTo(3);
        assertThat(history().page(Sample.firstPage(project, 2), without)).containsExactly(events.get(5), events.get(4));
        assertThat(history().page(Sample.firstPage(project, 10), without))
                .containsExactly(events.get(5), events.get(4), events.get(3));
        assertThat(history().count(project)).isEqualTo(5);
    }

    @Test
    void as_many_events_can_be_left_out_as_the_bound_says() {
        List<Event> events = Sample.events(project, 30);
        insert(events);
        Set<EventUuid> without = uuids(events.subList(10, 30));
        while (without.size() < History.WITHOUT_MAX) {
            without.add(Sample.freshUuid());
        }

        assertThat(history().count(project, without)).isEqualTo(10);
        assertThat(history().page(Sample.firstPage(project, 1000), without)).hasSize(10);
        without.add(Sample.freshUuid());
        assertThat(catchThrowable(() -> history().count(project, without)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatever_a_row_says_its_event_stands_there() {
        Event live = Sample.event(project);
        Event deleted = Sample.event(project);
        insert(live, Sample.tombstone(deleted, 2));
        Set<EventUuid> asked = uuids(List.of(live, deleted));
        while (asked.size() < EventQuery.LIMIT_MAX) {
            asked.add(Sample.freshUuid());
        }

        assertThat(history().standing(project, asked)).isEqualTo(uuids(List.of(live, deleted)));
        assertThat(history().standing(project, Set.of())).isEmpty();
        assertThat(history().standing(Sample.freshProject(), asked)).isEmpty();
    }

    @Test
    void the_newest_revision_is_looked_up_with_its_absence_proven() {
        Event original = Sample.event(project);
        insert(original);
        assertThat(newest(original)).isEqualTo(new NewestResult.Found(original));
        insert(Sample.revised(original, 3));
        insert(Sample.revised(original, 2));
        assertThat(newest(original)).isEqualTo(new NewestResult.Found(Sample.revised(original, 3)));
        insert(Sample.tombstone(original, 4));
        assertThat(newest(original)).isEqualTo(new NewestResult.Found(Sample.tombstone(original, 4)));
        assertThat(newest(Sample.event(project))).isEqualTo(new NewestResult.Absent());
    }

    private NewestResult newest(Event event) {
        return history().newest(source(), event.identity(), Duration.ofSeconds(5));
    }

    private static Set<EventUuid> uuids(List<Event> events) {
        return events.stream().map(event -> event.identity().uuid()).collect(Collectors.toCollection(HashSet::new));
    }

    @Test
    void a_closed_history_answers_nothing() {
        VerifiedSource source = source();
        Event event = Sample.event(project);
        history().close();

        assertThat(history().insert(source, List.of(event))).isInstanceOf(InsertResult.Unknown.class);
        assertThat(history().verify()).isInstanceOf(Verification.Refused.class);
        assertThat(catchThrowable(() -> history().count(project))).isInstanceOf(HistoryReadException.class);
        assertThat(history().newest(source, event.identity(), Duration.ofSeconds(1)))
                .isInstanceOf(NewestResult.Failed.class);
    }

    VerifiedSource source() {
        return switch (history().verify()) {
            case Verification.Verified verified -> verified.source();
            case Verification.Refused refused -> throw new AssertionError("refused: " + refused.findings());
        };
    }

    void insert(Event... events) {
        insert(List.of(events));
    }

    void insert(List<Event> events) {
        assertThat(history().insert(source(), events)).isEqualTo(new InsertResult.Acknowledged());
    }

    private List<Event> names(String name) {
        return history().page(new EventQuery(project, name, null, null, null, null, 10));
    }

    private List<Event> walk(EventQuery first) {
        List<Event> met = new ArrayList<>();
        EventQuery query = first;
        while (true) {
            List<Event> page = history().page(query);
            met.addAll(page);
            if (page.size() < first.limit()) {
                return met;
            }
            Event last = page.getLast();
            query = new EventQuery(
                    first.project(),
                    first.name(),
                    first.distinctId(),
                    first.fromMicros(),
                    first.toMicros(),
                    new Position(last.timestampMicros(), last.identity().uuid()),
                    first.limit());
        }
    }

    private static List<Event> inPageOrder(List<Event> events) {
        return events.stream()
                .sorted(Comparator.comparingLong(Event::timestampMicros)
                        .thenComparing(event -> event.identity().uuid())
                        .reversed())
                .toList();
    }

    private static Event inProject(Event event, ProjectId project) {
        return new Event(
                new EventIdentity(project, event.identity().uuid()),
                event.revision(),
                event.deleted(),
                event.name(),
                event.distinctId(),
                event.timestampMicros(),
                event.receivedAtMillis(),
                event.properties());
    }

    private static long micros(String instant) {
        Instant parsed = Instant.parse(instant);
        return Math.addExact(Math.multiplyExact(parsed.getEpochSecond(), 1_000_000L), parsed.getNano() / 1_000);
    }
}
