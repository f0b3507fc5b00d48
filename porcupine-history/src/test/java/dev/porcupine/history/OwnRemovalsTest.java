package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which deletions are taken for Porcupine's own: those of a whole project that the ledger removes. */
class OwnRemovalsTest {

    private final OwnRemovals removals = new OwnRemovals(number -> number == 7);

    @ParameterizedTest
    @ValueSource(
            strings = {"DELETE WHERE project_id = 7", "(DELETE WHERE project_id = 7)", "(DELETE WHERE (project_id = 7))"
            })
    void deleting_a_removed_project_is_our_own(String command) {
        assertThat(removals.own(command)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "DELETE WHERE project_id = 8",
                "DELETE WHERE project_id = 77",
                "DELETE WHERE project_id = -7",
                "DELETE WHERE project_id = 7.0",
                "DELETE WHERE project_id = '7'",
                "DELETE WHERE project_id = 99999999999999999999999",
                "DELETE WHERE project_id >= 7",
                "DELETE WHERE project_id = 7 OR 1",
                "DELETE WHERE NOT project_id = 7",
                "DELETE WHERE project_id = 7 AND uuid = 'x'",
                "DELETE IN PARTITION '202601' WHERE project_id = 7",
                "DELETE WHERE revision = 7",
                "DELETE WHERE `project_id = 7`",
                "UPDATE _row_exists = 0 WHERE project_id = 7",
                "DELETE WHERE project_id IN (7)",
                "DELETE WHERE 7 = project_id"
            })
    void every_other_deletion_is_somebody_elses(String command) {
        assertThat(removals.own(command)).isFalse();
    }

    @Test
    void stamp_forgets_our_own_and_keeps_every_other_mutation() {
        String head = "uuid 1 2 0 ";
        String own = mutation("mutation_3.txt", "(DELETE WHERE project_id = 7)");
        String other = mutation("mutation_4.txt", "(DELETE WHERE project_id = 8)");
        assertThat(SourceStamp.of(head, removals)).isEqualTo(head);
        assertThat(SourceStamp.of(head + own, removals)).isEqualTo(head);
        assertThat(SourceStamp.of(head + own + "," + other, removals)).isEqualTo(head + other);
        assertThat(SourceStamp.of(head + other, removals)).isEqualTo(head + other);
        assertThat(SourceStamp.of(head + own, OwnRemovals.NONE)).isEqualTo(head + own);
        assertThat(SourceStamp.of(head + "12345678901234567890", removals)).isEqualTo(head + "12345678901234567890");
    }

    private static String mutation(String id, String command) {
        HexFormat hex = HexFormat.of();
        return hex.formatHex(id.getBytes(StandardCharsets.UTF_8))
                + ":"
                + hex.formatHex(command.getBytes(StandardCharsets.UTF_8));
    }
}
