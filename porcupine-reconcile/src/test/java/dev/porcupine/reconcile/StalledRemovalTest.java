package dev.porcupine.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.Histories;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An upgraded ledger over its limit, all of whose history is present, must converge (P33), or every new capture of every project is refused (P34). A
 * removal that can't get on (the upgraded user has no ALTER DELETE yet, a cold disk is away) keeps its project's receipts unproven, so not
 * evictable, for as long, unless they are proven like all others.
 */
@Timeout(120)
class StalledRemovalTest {

    @TempDir
    Path dir;

    @Test
    void a_removal_that_is_stalled_does_not_keep_the_ledger_over_its_limit() {
        try (ReconcileRig rig = new ReconcileRig(dir, Histories.embedded(dir), 2, 1_000, 100)) {
            rig.putIntoHistory(0, 1_000);
            // fenced; the pass that removes never gets on, as with ALTER DELETE refused
            rig.ledger.removals().begin(rig.projects.getFirst());
            for (int n = 0; n < 50; n++) {
                rig.pass.run();
            }
            assertThat(rig.ledger.status().overLimit())
                    .as("receipts %d", rig.ledger.status().receipts())
                    .isFalse();
        }
    }
}
