package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.LedgerMark;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.testkit.ManualTicker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When history is looked at again, and that the pin has the last word. */
class SourceWatchTest {

    private final ManualTicker ticker = new ManualTicker();
    private @Nullable Finding objection;
    private History history;
    private SourceWatch watch;

    @BeforeEach
    void open(@TempDir Path dir) {
        history = Histories.embedded(dir);
        watch = new SourceWatch(history, source -> Optional.ofNullable(objection), ticker);
    }

    @AfterEach
    void close() {
        history.close();
    }

    @Test
    void nothing_is_trusted_before_the_first_look() {
        assertThat(codes(watch.current())).containsExactly("not_verified_yet");
    }

    @Test
    void look_is_taken_from_memory_until_it_is_old_or_doubted() {
        watch.pass();
        history.close();
        ticker.advance(SourceWatch.REPEAT_AFTER.minus(Duration.ofNanos(1)));
        watch.pass();
        assertThat(codes(watch.fresh())).isEmpty();
        watch.doubt();
        assertThat(codes(watch.current())).isEmpty();
        assertThat(codes(watch.fresh())).containsExactly("source_unreadable");
    }

    @Test
    void old_look_is_repeated() {
        watch.pass();
        history.close();
        ticker.advance(SourceWatch.REPEAT_AFTER);
        watch.pass();
        assertThat(codes(watch.current())).containsExactly("source_unreadable");
    }

    @Test
    void sound_source_that_is_not_the_pinned_one_is_refused_at_once() {
        watch.pass();
        objection = FindingCode.SOURCE_CHANGED.finding("another one");
        assertThat(codes(watch.current())).containsExactly("source_changed");
        assertThat(codes(watch.fresh())).containsExactly("source_changed");
        objection = null;
        assertThat(codes(watch.current())).isEmpty();
    }

    @Test
    void doubt_that_is_raised_while_a_look_is_under_way_outlives_it() throws Exception {
        CountDownLatch looking = new CountDownLatch(1);
        CountDownLatch doubted = new CountDownLatch(1);
        Scripted scripted = new Scripted(history);
        SourceWatch watched = new SourceWatch(scripted, ticker);
        watched.look();
        scripted.next = () -> {
            looking.countDown();
            await(doubted);
            return history.verify();
        };
        Thread look = Thread.ofPlatform().start(watched::look);
        await(looking);
        watched.doubt();
        doubted.countDown();
        look.join();
        int looks = scripted.looks;
        watched.pass();
        assertThat(scripted.looks).isEqualTo(looks + 1);
        watched.pass();
        assertThat(scripted.looks).isEqualTo(looks + 1);
    }

    @Test
    void what_is_proven_against_the_ledger_holds_until_all_is_found_sound() {
        Scripted scripted = new Scripted(history);
        SourceWatch watched = new SourceWatch(scripted, ticker);
        scripted.next = () -> refused(FindingCode.LEDGER_STALE);
        watched.look();
        assertThat(watched.barriers()).extracting(Finding::code).containsExactly("ledger_stale");
        scripted.next = () -> refused(FindingCode.CLICKHOUSE_UNREACHABLE);
        watched.look();
        assertThat(codes(watched.current())).containsExactly("clickhouse_unreachable");
        assertThat(watched.barriers()).extracting(Finding::code).containsExactly("ledger_stale");
        assertThat(watched.verifiedOnce()).isFalse();
        scripted.next = history::verify;
        watched.look();
        assertThat(watched.barriers()).isEmpty();
        assertThat(watched.verifiedOnce()).isTrue();
        scripted.next = () -> refused(FindingCode.CLICKHOUSE_UNREACHABLE);
        watched.look();
        assertThat(watched.barriers()).isEmpty();
        assertThat(watched.verifiedOnce()).isTrue();
    }

    @Test
    void wrong_source_counts_as_never_verified() {
        objection = FindingCode.SOURCE_CHANGED.finding("another one");
        watch.look();
        assertThat(watch.verifiedOnce()).isFalse();
        objection = null;
        watch.look();
        assertThat(watch.verifiedOnce()).isTrue();
    }

    private static Verification refused(FindingCode code) {
        return new Verification.Refused(List.of(code.finding("scripted")));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A real history whose verdicts a test may put off or replace. */
    private static final class Scripted implements History {

        private final History real;
        private Supplier<Verification> next;
        private int looks;

        private Scripted(History real) {
            this.real = real;
            this.next = real::verify;
        }

        @Override
        public String kind() {
            return real.kind();
        }

        @Override
        public Verification verify() {
            looks++;
            return next.get();
        }

        @Override
        public MarkResult mark(VerifiedSource source, LedgerMark mark) {
            return real.mark(source, mark);
        }

        @Override
        public InsertResult insert(VerifiedSource source, List<Event> events) {
            return real.insert(source, events);
        }

        @Override
        public ProbeResult probe(
                VerifiedSource source, Set<EventIdentity> identities, Duration total, ProbePurpose purpose) {
            return real.probe(source, identities, total, purpose);
        }

        @Override
        public NewestResult newest(VerifiedSource source, EventIdentity identity, Duration total) {
            return real.newest(source, identity, total);
        }

        @Override
        public long count(ProjectId project, Set<EventUuid> without) {
            return real.count(project, without);
        }

        @Override
        public Set<EventUuid> standing(ProjectId project, Set<EventUuid> uuids) {
            return real.standing(project, uuids);
        }

        @Override
        public Optional<Event> find(EventIdentity identity) {
            return real.find(identity);
        }

        @Override
        public List<Event> page(EventQuery query, Set<EventUuid> without) {
            return real.page(query, without);
        }

        @Override
        public ProjectErasure erasure() {
            return real.erasure();
        }

        @Override
        public void close() {
            real.close();
        }
    }

    private static List<String> codes(Verification verification) {
        return switch (verification) {
            case Verification.Verified verified -> List.of();
            case Verification.Refused(List<Finding> findings) ->
                findings.stream().map(Finding::code).toList();
        };
    }
}
