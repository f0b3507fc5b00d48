package dev.porcupine.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.Histories;
import dev.porcupine.history.Verification;
import dev.porcupine.history.VerifiedSource;
import dev.porcupine.ledger.UnprovenReceipts;
import dev.porcupine.schema.ProjectId;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Projects that are removed while old receipts are being proven. */
@Timeout(240)
class RemovalBesideReconcileTest {

    private static final int RECEIPTS = 1_500;

    @TempDir
    Path dir;

    /** The first, a middle and the last project in key order, gone between history's answer and the marks. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void project_removed_in_the_middle_of_a_pass_costs_its_marks_and_nothing_else(int which) {
        HookedHistory history = new HookedHistory(Histories.embedded(dir));
        try (ReconcileRig rig = new ReconcileRig(dir, history, 3, RECEIPTS, 100)) {
            rig.putIntoHistory(0, RECEIPTS);
            ProjectId project = rig.projects.get(which);
            // so far that the next stretch touches the project
            for (int n = 0; n < which * 2; n++) {
                rig.pass.run();
            }
            history.afterNextProbe(() -> remove(rig, project));

            assertThat(rig.pass.run()).isNotInstanceOf(ReconcileOutcome.Stalled.class);

            assertThat(query("select count(*) from reconcile_cursor where project_id = " + project))
                    .isEqualTo("0");
            assertThat(query("select count(*) from event_receipts where project_id = " + project))
                    .isEqualTo("0");
            rig.passUntilQuiet();
            // of the last one's predecessors all were evicted by then
            long left = which == 2 ? 0 : 100;
            assertThat(rig.ledger.status().receipts()).isEqualTo(left);
            assertThat(rig.ledger.status().unprovenReceipts()).isZero();
            assertThat(query("select count(*) from event_receipts")).isEqualTo(Long.toString(left));
            for (ProjectId other : rig.projects) {
                assertThat(rig.history.count(other)).isEqualTo(other.equals(project) ? 0 : RECEIPTS / 3);
            }
        }
    }

    /** The cursor's stretch ends in the removed project: no receipt of another may be passed over. */
    @Test
    void cursor_in_a_removed_project_goes_back_to_the_one_before_it() {
        try (ReconcileRig rig = new ReconcileRig(dir, Histories.embedded(dir), 3, RECEIPTS, 100)) {
            ProjectId middle = rig.projects.get(1);
            VerifiedSource source = ((Verification.Verified) rig.watch.current()).source();
            UnprovenReceipts stretch = rig.ledger.reconciliation().next();
            while (!stretch.identities().getLast().project().equals(middle)) {
                rig.ledger.reconciliation().settle(stretch, Set.of(), source.identity());
                stretch = rig.ledger.reconciliation().next();
            }
            rig.ledger.reconciliation().settle(stretch, Set.of(), source.identity());
            assertThat(query("select project_id from reconcile_cursor")).isEqualTo(middle.toString());

            remove(rig, middle);

            assertThat(query("select project_id from reconcile_cursor"))
                    .isEqualTo(rig.projects.get(0).toString());
            Set<ProjectId> next = new HashSet<>();
            rig.ledger.reconciliation().next().identities().forEach(identity -> next.add(identity.project()));
            assertThat(next).containsExactly(rig.projects.get(2));
        }
    }

    private static void remove(ReconcileRig rig, ProjectId project) {
        RemovalPass removal = new RemovalPass(
                rig.ledger, rig.history, rig.watch, new RemovalMetrics(new SimpleMeterRegistry(), rig.ledger));
        rig.ledger.removals().begin(project);
        for (int n = 0; n < 100; n++) {
            switch (removal.run()) {
                case RemovalOutcome.Idle() -> {
                    return;
                }
                case RemovalOutcome.Progressed() -> {}
                case RemovalOutcome.Waiting(Duration _, String why) -> throw new AssertionError(why);
                case RemovalOutcome.Stalled(String why) -> throw new AssertionError(why);
            }
        }
        throw new AssertionError("not removed");
    }

    private String query(String sql) {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + dir.resolve("ledger.db"));
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : "nothing";
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }
}
