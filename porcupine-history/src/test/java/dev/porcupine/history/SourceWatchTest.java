package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.testkit.ManualTicker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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

    private static List<String> codes(Verification verification) {
        return switch (verification) {
            case Verification.Verified verified -> List.of();
            case Verification.Refused(List<Finding> findings) ->
                findings.stream().map(Finding::code).toList();
        };
    }
}
