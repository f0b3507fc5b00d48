package dev.porcupine.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.porcupine.history.ClickHouseSettings;
import dev.porcupine.history.EventQuery;
import dev.porcupine.history.Histories;
import dev.porcupine.history.History;
import dev.porcupine.history.HistoryReadException;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LedgerSettings;
import dev.porcupine.ledger.QueuedEvent;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.Ticker;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.SharedClickHouse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads show the newest revision at once, whatever of it is delivered. */
class MutatedReadsTest {

    private static final long SEED = Long.getLong("porcupine.test.seed", 20_261_201L);

    @Nested
    class OverEmbeddedHistory extends Rules {

        OverEmbeddedHistory() {
            super(60);
        }

        @Override
        History history(Path dataDir) {
            return Histories.embedded(dataDir);
        }
    }

    @Nested
    class OverClickHouse extends Rules {

        OverClickHouse() {
            super(4);
        }

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

        private final int schedules;

        @TempDir
        Path dir;

        private SteeredHistory history;
        private Ledger ledger;
        private MutatedReads reads;

        Rules(int schedules) {
            this.schedules = schedules;
        }

        abstract History history(Path dataDir);

        @BeforeEach
        void open() {
            history = new SteeredHistory(history(dir));
            ledger = Ledger.open(new LedgerSettings(dir, 100_000, 1L << 30), InstantSource.system());
            reads = new MutatedReads(ledger, history);
        }

        @AfterEach
        void close() {
            ledger.close();
            history.close();
        }

        @Test
        void random_mutations_show_at_once_in_every_read() {
            for (int schedule = 0; schedule < schedules; schedule++) {
                reads = new MutatedReads(ledger, history);
                try {
                    schedule(new Random(SEED + schedule));
                } catch (AssertionError e) {
                    throw new AssertionError("seed " + (SEED + schedule), e);
                }
                while (ledger.status().queueEvents() > 0) {
                    reads.deliver(1_000);
                }
            }
        }

        private void schedule(Random random) {
            for (int i = 0; i < 30; i++) {
                long number = random.nextInt(8);
                long time = random.nextInt(5);
                Event any = Event.original(reads.accept(number, time).identity(), "e", "u", 0, 0, new byte[0]);
                switch (random.nextInt(8)) {
                    case 0, 1, 2 -> reads.mutate(any.identity(), time, "e" + random.nextInt(2), false);
                    case 3 -> reads.mutate(any.identity(), time, "gone", true);
                    case 4, 5 -> reads.deliver(1 + random.nextInt(3));
                    case 6 -> reads.insert(reads.queued(1 + random.nextInt(3)));
                    default -> {
                        List<QueuedEvent> oldest = reads.queued(1);
                        ledger.queue().quarantine(oldest, "planted");
                        if (random.nextBoolean()) {
                            ledger.quarantine()
                                    .list(reads.project, 0, 5)
                                    .forEach(entry -> ledger.quarantine().retry(reads.project, entry.seq()));
                        }
                    }
                }
                if (i % 3 == 0) {
                    reads.check(1 + random.nextInt(9));
                }
            }
            reads.check(3);
        }

        @Test
        void a_delivery_between_ledger_and_history_makes_no_event_twice_and_none_missing() {
            for (long n = 0; n < 6; n++) {
                reads.accept(n, n);
            }
            reads.deliver(10);
            reads.mutate(reads.accept(1, 0).identity(), 100, "e1", false);
            reads.mutate(reads.accept(2, 0).identity(), 0, "gone", true);
            AtomicBoolean delivered = new AtomicBoolean();
            history.beforeRead(rows -> {
                if (!delivered.getAndSet(true)) {
                    reads.deliver(10);
                }
            });
            reads.check(2);
            assertThat(delivered).isTrue();
            delivered.set(false);
            reads.mutate(reads.accept(3, 0).identity(), 0, "gone", true);
            assertThat(history.count(reads.project, ledger.pendingRevisions().deleted(reads.project)))
                    .isEqualTo(4);
        }

        @Test
        void a_revision_that_history_has_lost_is_not_passed_over_for_an_older_one() {
            Event original = reads.accept(1, 1);
            reads.deliver(10);
            reads.mutate(original.identity(), 2, "e1", false);
            ledger.queue().settle(reads.queued(10), reads.source.identity());
            assertThatThrownBy(() -> reads.read(original.identity())).isInstanceOf(HistoryReadException.class);
        }

        @Test
        void mutations_that_history_has_nothing_of_are_not_listed_and_hold_no_page_up() {
            for (long n = 0; n < 7; n++) {
                reads.accept(n, n);
                reads.mutate(reads.accept(n, n).identity(), 100 + n, "e1", false);
            }
            reads.accept(20, 5);
            QueuedEvent last = reads.queued(100).getLast();
            reads.insert(List.of(last));
            for (int limit = 1; limit < 10; limit++) {
                reads.check(limit);
            }
            List<QueuedEvent> rows = reads.queued(100);
            reads.insert(rows.subList(0, 1));
            for (int limit = 1; limit < 10; limit++) {
                reads.check(limit);
            }
        }

        @Test
        void an_event_that_moves_while_a_page_is_read_in_parts_shows_once() {
            for (long n = 0; n < 8; n++) {
                reads.accept(n, n + 10);
            }
            reads.deliver(10);
            AtomicBoolean moved = new AtomicBoolean();
            history.beforeRead(rows -> {
                if (rows > 4) {
                    throw new HistoryReadException(HistoryReadException.Kind.LIMIT, "planted");
                }
                if (history.pageLimits().size() == 3 && !moved.getAndSet(true)) {
                    reads.mutate(reads.accept(7, 0).identity(), 12, "e1", false);
                    reads.deliver(10);
                }
            });
            EventPage page = new EventPages(history, ledger.pendingRevisions(), 1 << 20, Ticker.system())
                    .read(new EventQuery(reads.project, null, null, null, null, null, 8));
            assertThat(moved).isTrue();
            assertThat(page.events()).extracting(Event::identity).doesNotHaveDuplicates();
            assertThat(page.events()).hasSize(8);
        }

        @Test
        void a_page_ends_at_its_byte_bound_among_pending_events_and_the_next_goes_on() {
            for (long n = 0; n < 6; n++) {
                reads.accept(n, n);
            }
            reads.deliver(10);
            for (long n = 0; n < 6; n += 2) {
                reads.mutate(reads.accept(n, n).identity(), n, "e1", false);
            }
            EventPage first = reads.pages(20).read(new EventQuery(reads.project, null, null, null, null, null, 6));
            assertThat(first.events()).hasSizeBetween(1, 5);
            assertThat(first.next()).isNotNull();
        }
    }
}
