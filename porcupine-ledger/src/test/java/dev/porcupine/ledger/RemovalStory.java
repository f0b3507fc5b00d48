package dev.porcupine.ledger;

import static dev.porcupine.ledger.Samples.events;
import static dev.porcupine.ledger.Samples.queued;
import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A project with rows in every table, and its removal from the ledger as whoever drives it would do it; history is empty here. */
final class RemovalStory {

    /** Calls after which a removal that has not ended never will. */
    private static final int CALLS_MAX = 500;

    private RemovalStory() {}

    /** {@code rows} each in queue, quarantine, receipts and heads, of which every other receipt is proven, and two tokens. */
    static ProjectId project(Ledger ledger, int rows) {
        ProjectId project = ledger.projects().create("shop").project().id();
        ledger.projects().issueToken(project);
        Samples.accept(ledger, events(project, 0, rows));
        ledger.queue().settle(of(ledger, project), Samples.SOURCE);
        for (Event original : events(project, 0, rows)) {
            Event second = MutationsTest.revised(original, 2);
            assertThat(ledger.mutations()
                            .mutate(second, ledger.mutations().trace(second.identity()), MutationsTest.WAIT))
                    .isEqualTo(new MutateResult.Written());
        }
        ledger.queue().settle(of(ledger, project), Samples.SOURCE);
        Samples.accept(ledger, events(project, rows, 2L * rows));
        ledger.queue().quarantine(of(ledger, project), "bad");
        Samples.accept(ledger, events(project, 2L * rows, 3L * rows));
        return project;
    }

    private static List<QueuedEvent> of(Ledger ledger, ProjectId project) {
        return queued(ledger).stream()
                .filter(queued -> queued.event().identity().project().equals(project))
                .toList();
    }

    /** From wherever it stands to its end; refused calls are made again. */
    static void removeToTheEnd(Ledger ledger, ProjectId project) {
        for (int call = 0; call < CALLS_MAX; call++) {
            try {
                if (call(ledger, project)) {
                    return;
                }
            } catch (ProblemException e) {
                assertThat(e.problem()).isEqualTo(Problem.LEDGER_UNAVAILABLE);
            }
        }
        throw new AssertionError("not removed after " + CALLS_MAX + " calls");
    }

    private static boolean call(Ledger ledger, ProjectId project) {
        Removals removals = ledger.removals();
        Removal removal = removals.find(project).orElse(null);
        if (removal == null) {
            removals.begin(project);
            return false;
        }
        switch (removal.stage()) {
            case QUEUE -> removals.dropWaiting(project);
            case DELIVERY -> removals.deliveriesEnded(project);
            case HISTORY -> removals.historyEmpty(project);
            case RECEIPTS -> {
                if (!removals.forget(project)) {
                    removals.finish(project);
                }
            }
            case DONE -> {
                return true;
            }
        }
        return false;
    }

    /** Every table that has a column {@code project_id}, and the projects themselves. */
    static void assertNoRowOf(Path dataDir, ProjectId project) {
        List<String> found = new ArrayList<>();
        for (String table : tablesByProject(dataDir)) {
            String rows = RawRows.query(dataDir, "select count(*) from " + table + " where project_id = " + project)
                    .getFirst();
            if (!rows.equals("0") && !table.equals("project_removals")) {
                found.add(table + ": " + rows);
            }
        }
        assertThat(found).isEmpty();
        assertThat(RawRows.query(dataDir, "select id from projects where id = " + project))
                .isEmpty();
    }

    /** All rows of a project but the texts of times, in every table. */
    static List<String> rowsOf(Path dataDir, ProjectId project) {
        List<String> rows = new ArrayList<>();
        for (String table : tablesByProject(dataDir)) {
            rows.addAll(RawRows.query(
                    dataDir, "select '" + table + "', * from " + table + " where project_id = " + project));
        }
        rows.addAll(RawRows.query(dataDir, "select * from projects where id = " + project));
        return rows;
    }

    static List<String> tablesByProject(Path dataDir) {
        return RawRows.query(
                dataDir,
                "select m.name from sqlite_master as m, pragma_table_info(m.name) as c"
                        + " where m.type = 'table' and c.name = 'project_id' order by m.name");
    }
}
