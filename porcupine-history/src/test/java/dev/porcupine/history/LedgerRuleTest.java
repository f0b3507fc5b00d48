package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.testkit.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Which marks accuse a ledger, at every boundary. */
class LedgerRuleTest {

    private static final UUID MINE = new UUID(1, 1);
    private static final UUID OTHER = new UUID(1, 2);
    private static final UUID NOW = new UUID(2, 1);
    private static final UUID BEFORE = new UUID(2, 2);
    private static final UUID UNKNOWN = new UUID(2, 3);
    private static final long FIRST = 1_000_000;

    private final ManualTicker ticker = new ManualTicker();
    private final LedgerRule rule = new LedgerRule("`p`.`events`", new StirringEpochs(ticker));
    private final List<KeptMark> marks = new ArrayList<>();
    private final Map<UUID, Long> accepted = new HashMap<>(Map.of(BEFORE, 100L, NOW, 150L));

    @Test
    void ledger_without_any_mark_is_sound() {
        assertThat(codes()).isEmpty();
    }

    @Test
    void marks_up_to_what_each_process_can_have_accepted_are_sound() {
        mark(MINE, BEFORE, 100, 1, FIRST - 1);
        mark(MINE, NOW, 150, FIRST, FIRST + 999_999);
        assertThat(codes()).isEmpty();
    }

    @Test
    void mark_of_an_earlier_process_beyond_its_end_here_makes_the_ledger_stale() {
        mark(MINE, BEFORE, 101, 1, 2);
        assertThat(codes()).containsExactly("ledger_stale");
        mark(MINE, NOW, 150, FIRST, FIRST);
        assertThat(codes()).containsExactly("ledger_stale");
    }

    @Test
    void mark_of_this_process_beyond_its_own_disk_makes_the_ledger_stale() {
        mark(MINE, NOW, 151, FIRST, FIRST);
        assertThat(codes()).containsExactly("ledger_stale");
    }

    @Test
    void mark_of_a_process_that_never_ran_on_this_file_makes_the_ledger_stale_however_low_it_is() {
        mark(MINE, UNKNOWN, 1, 1, 2);
        assertThat(codes()).containsExactly("ledger_stale");
        mark(MINE, NOW, 150, FIRST, FIRST);
        assertThat(codes()).containsExactly("ledger_stale");
    }

    @Test
    void stale_copy_that_went_on_accepting_before_it_could_be_compared_is_stale_still() {
        accepted.put(NOW, 1_000L);
        mark(MINE, BEFORE, 140, 1, 2);
        assertThat(codes()).containsExactly("ledger_stale");
    }

    @Test
    void copy_that_marks_while_this_process_does_is_alive() {
        mark(MINE, NOW, 150, FIRST, FIRST);
        mark(MINE, UNKNOWN, 1, 1, FIRST);
        assertThat(codes()).containsExactly("ledger_stale");
        marks.removeLast();
        mark(MINE, UNKNOWN, 1, 1, FIRST + 1);
        assertThat(codes()).containsExactly("history_shared");
        marks.removeLast();
        mark(MINE, BEFORE, 101, 1, FIRST + 1);
        assertThat(codes()).containsExactly("history_shared");
    }

    @Test
    void clock_that_was_ahead_for_the_process_before_accuses_nobody() {
        mark(MINE, NOW, 150, FIRST, FIRST);
        mark(MINE, BEFORE, 100, 1, FIRST + 86_400_000);
        assertThat(codes()).isEmpty();
        ticker.advance(StirringEpochs.LAST_WORDS.multipliedBy(2));
        assertThat(codes()).isEmpty();
    }

    @Test
    void last_words_of_the_process_before_accuse_nobody_for_a_minute_and_what_moves_later_is_alive() {
        mark(MINE, NOW, 150, FIRST, FIRST);
        assertThat(codes()).isEmpty();
        ticker.advance(StirringEpochs.LAST_WORDS);
        mark(MINE, BEFORE, 99, 1, FIRST);
        assertThat(codes()).isEmpty();
        ticker.advance(Duration.ofNanos(1));
        assertThat(codes()).isEmpty();
        marks.removeLast();
        mark(MINE, BEFORE, 100, 1, FIRST);
        assertThat(codes()).containsExactly("history_shared");
        assertThat(codes()).as("once seen moving").containsExactly("history_shared");
    }

    @Test
    void another_ledger_that_ended_before_this_one_began_is_sound() {
        mark(MINE, BEFORE, 100, 500, 600);
        mark(MINE, NOW, 150, FIRST, FIRST);
        mark(OTHER, UNKNOWN, 9_999, 1, 500);
        assertThat(codes()).isEmpty();
        marks.removeLast();
        mark(OTHER, UNKNOWN, 9_999, 1, 501);
        assertThat(foreignCodes()).containsExactly("history_shared");
    }

    @Test
    void ledger_without_a_mark_on_somebody_elses_table_is_told_so() {
        mark(OTHER, UNKNOWN, 1, 1, 2);
        assertThat(judge().forked()).isEmpty();
        assertThat(foreignCodes()).containsExactly("history_shared");
        assertThat(judge().foreign().getFirst().detail()).contains("porcupine.clickhouse.table");
    }

    @Test
    void same_epoch_under_another_ledgers_name_is_another_ledger() {
        mark(OTHER, NOW, 1, 1, 2);
        assertThat(judge().forked()).isEmpty();
        assertThat(foreignCodes()).containsExactly("history_shared");
    }

    private void mark(UUID ledger, UUID epoch, long seq, long first, long last) {
        marks.add(new KeptMark(ledger, epoch, seq, first, last));
    }

    private LedgerRule.Judgement judge() {
        return rule.judge(marks, MINE, NOW, accepted);
    }

    private List<String> codes() {
        assertThat(judge().foreign()).isEmpty();
        return judge().forked().stream().map(Finding::code).toList();
    }

    private List<String> foreignCodes() {
        return judge().foreign().stream().map(Finding::code).toList();
    }
}
