package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.LedgerLineage;
import dev.porcupine.schema.LedgerMark;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Marks in {@code history.db}: a ledger that was put back beside it, and one that was begun anew. */
class EmbeddedMarksTest {

    private static final UUID LEDGER = new UUID(1, 1);
    private static final UUID FIRST = new UUID(2, 1);
    private static final UUID SECOND = new UUID(2, 2);

    @TempDir
    private Path dir;

    private record Lineage(UUID ledger, UUID epoch, Map<UUID, Long> acceptedByEpoch) implements LedgerLineage {}

    @Test
    void marks_outlive_the_process_and_only_grow() {
        try (History history = open(LEDGER, FIRST, Map.of(FIRST, 5L))) {
            mark(history, FIRST, 5);
            mark(history, FIRST, 3);
            assertThat(source(history).markedSeq()).isEqualTo(5);
        }
        try (History history = open(LEDGER, SECOND, Map.of(FIRST, 5L, SECOND, 9L))) {
            assertThat(source(history).markedSeq()).isZero();
            assertThat(source(history).warnings()).isEmpty();
        }
    }

    @Test
    void older_ledger_beside_the_newer_history_is_stale() {
        try (History history = open(LEDGER, FIRST, Map.of(FIRST, 5L))) {
            mark(history, FIRST, 5);
        }
        try (History history = open(LEDGER, SECOND, Map.of(FIRST, 4L, SECOND, 9L))) {
            assertThat(codes(history)).containsExactly("ledger_stale");
        }
        try (History history = open(LEDGER, SECOND, Map.of(SECOND, 9L))) {
            assertThat(codes(history)).containsExactly("ledger_stale");
        }
    }

    @Test
    void ledger_that_was_begun_anew_is_told_that_the_history_is_another_ones() {
        try (History history = open(LEDGER, FIRST, Map.of(FIRST, 5L))) {
            mark(history, FIRST, 5);
        }
        try (History history = open(new UUID(1, 2), SECOND, Map.of(SECOND, 0L))) {
            assertThat(source(history).warnings()).extracting(Finding::code).containsExactly("history_shared");
        }
    }

    @Test
    void history_from_before_there_were_marks_gets_them() throws SQLException {
        try (History history = open(LEDGER, FIRST, Map.of(FIRST, 5L))) {
            source(history);
        }
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + dir.resolve(EmbeddedFile.NAME));
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("drop table ledger_marks");
        }
        try (History history = open(LEDGER, FIRST, Map.of(FIRST, 5L))) {
            mark(history, FIRST, 5);
            assertThat(source(history).markedSeq()).isEqualTo(5);
        }
    }

    @Test
    void ledger_that_cannot_be_read_is_not_taken_for_a_sound_one() {
        LedgerLineage unreadable = new LedgerLineage() {
            @Override
            public UUID ledger() {
                return LEDGER;
            }

            @Override
            public UUID epoch() {
                return FIRST;
            }

            @Override
            public Map<UUID, Long> acceptedByEpoch() {
                throw new ProblemException(Problem.LEDGER_UNAVAILABLE, "the disk is gone");
            }
        };
        try (History history = Histories.embedded(dir, unreadable)) {
            assertThat(codes(history)).containsExactly("ledger_unreadable");
        }
    }

    private History open(UUID ledger, UUID epoch, Map<UUID, Long> accepted) {
        return Histories.embedded(dir, new Lineage(ledger, epoch, accepted));
    }

    private static void mark(History history, UUID epoch, long seq) {
        assertThat(history.mark(source(history), new LedgerMark(LEDGER, epoch, seq)))
                .isInstanceOf(MarkResult.Acknowledged.class);
    }

    private static VerifiedSource source(History history) {
        Verification verification = history.verify();
        assertThat(verification).isInstanceOf(Verification.Verified.class);
        return ((Verification.Verified) verification).source();
    }

    private static List<String> codes(History history) {
        return switch (history.verify()) {
            case Verification.Verified verified -> List.of();
            case Verification.Refused(List<Finding> findings) ->
                findings.stream().map(Finding::code).toList();
        };
    }
}
