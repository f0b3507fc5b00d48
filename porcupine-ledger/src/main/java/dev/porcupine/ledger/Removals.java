package dev.porcupine.ledger;

import dev.porcupine.ledger.Removal.Removed;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Removing projects (P2): the ledger's part, step by step. Somebody else repeats the steps and deletes from history in between.
 *
 * <p><b>The fence.</b> {@link #begin} puts a row into {@code project_removals}, in one transaction. From its commit on the project is in no
 * directory of the memory, so that tokens, reads and lists don't know it; and because memory changes on the writer's thread before the next
 * transaction begins, every later transaction that would write for the project sees that and refuses: a capture that looked its token up
 * before, a retry out of quarantine, a new token. After a failure whose outcome is unknown, and after a restart, memory is read from that
 * row again before anything is written.
 *
 * <p><b>The steps.</b> Each is one transaction, bounded, and does nothing when it is not its stage's turn: so each may be repeated, by whom
 * and whenever. A crash leaves whole steps. What a step removes, the counters and the stage change together.
 *
 * <p>The methods that write throw {@link ProblemException} when the ledger can't.
 */
public final class Removals {

    /** Counting further takes longer than anybody wants to wait for an answer. */
    static final int COUNTED_MAX = 100_000;

    private static final String LEFT = """
            select
                (select count(*) from (select 1 from event_queue where project_id = ?1 limit ?2)),
                (select count(*) from (select 1 from event_quarantine where project_id = ?1 limit ?2)),
                (select count(*) from (select 1 from event_receipts where project_id = ?1 limit ?2)),
                (select count(*) from (select 1 from mutation_heads where project_id = ?1 limit ?2))
            """;

    private final LedgerWriter writer;
    private final JdbcClient readers;
    private final ProjectDirectory projects;
    private final RemovalDirectory removals;
    private final InstantSource clock;
    private final ConcurrentHashMap<ProjectId, String> obstacles = new ConcurrentHashMap<>();

    Removals(
            LedgerWriter writer,
            JdbcClient readers,
            ProjectDirectory projects,
            RemovalDirectory removals,
            InstantSource clock) {
        this.writer = writer;
        this.readers = readers;
        this.projects = projects;
        this.removals = removals;
        this.clock = clock;
    }

    /**
     * Rows that the ledger still has of a project, each counted to {@value #COUNTED_MAX} at most.
     */
    public record Left(long queued, long quarantined, long receipts, long heads) {}

    /** Fences the project. Returns when that is on disk; a removal under way, or ended, is returned as it is. Empty: never was such a project. */
    public Optional<Removal> begin(ProjectId project) {
        long now = clock.millis();
        return writer.solo(1, transaction -> {
                    Removal known = removals.find(project);
                    if (known != null) {
                        return Optional.of(known);
                    }
                    if (!projects.takesWrites(project)) {
                        return Optional.<Removal>empty();
                    }
                    Removal begun = new Removal(project, RemovalStage.QUEUE, now, now, Removed.NOTHING);
                    RemovalRows.put(transaction, begun);
                    transaction.afterCommit(() -> {
                        removals.put(begun);
                        projects.remove(project);
                    });
                    return Optional.of(begun);
                })
                .orThrow();
    }

    /** Also one that ended, however long ago. */
    public Optional<Removal> find(ProjectId project) {
        return Optional.ofNullable(removals.find(project));
    }

    /** Under way, the first one requested first. */
    public List<Removal> pending() {
        return removals.all().stream()
                .filter(removal -> !removal.done())
                .sorted(Comparator.comparingLong(Removal::requestedAtMillis).thenComparing(Removal::project))
                .toList();
    }

    /** Whether a project was ever removed, or is being. */
    public boolean any() {
        return !removals.all().isEmpty();
    }

    /** Whether this ledger has given the number to a project and then been told to remove it. */
    public boolean removes(long number) {
        return removals.names(number);
    }

    /** @throws ProblemException {@code LEDGER_UNAVAILABLE} when the ledger can't be read */
    public Left left(ProjectId project) {
        try {
            return readers.sql(LEFT)
                    .params(project.value(), COUNTED_MAX)
                    .query((row, number) -> new Left(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4)))
                    .single();
        } catch (DataAccessException e) {
            throw new ProblemException(Problem.LEDGER_UNAVAILABLE, "the ledger can't be read now");
        }
    }

    /** What keeps the removal from going on, for people; forgotten by the next step, and by a restart. */
    public void hindered(ProjectId project, String obstacle) {
        obstacles.put(project, obstacle);
    }

    public Optional<String> obstacle(ProjectId project) {
        return Optional.ofNullable(obstacles.get(project));
    }

    /** Stage {@code QUEUE}: some of the queue, else of the quarantine; when both are empty the next stage begins. */
    public Removal dropWaiting(ProjectId project) {
        return step(project, RemovalStage.QUEUE, (transaction, removal) -> {
            RemovalRows.Dropped queued = RemovalRows.drop(transaction, "event_queue", project);
            if (queued.rows() > 0) {
                transaction.state(transaction.state().withQueue(-queued.rows(), -queued.bytes()));
                return removal.with(new Removed(queued.rows(), 0, 0, 0, 0));
            }
            RemovalRows.Dropped quarantined = RemovalRows.drop(transaction, "event_quarantine", project);
            if (quarantined.rows() > 0) {
                transaction.state(transaction.state().withQuarantined(-quarantined.rows()));
                return removal.with(new Removed(0, quarantined.rows(), 0, 0, 0));
            }
            return removal.at(RemovalStage.DELIVERY, clock.millis());
        });
    }

    /** Ends stage {@code DELIVERY}. Call only when the {@link DeliveryBarrier} is quiet. */
    public Removal deliveriesEnded(ProjectId project) {
        return step(
                project,
                RemovalStage.DELIVERY,
                (transaction, removal) -> removal.at(RemovalStage.HISTORY, clock.millis()));
    }

    /** Stage {@code HISTORY}: so many physical rows were found; the largest number is kept. */
    public Removal historyHolds(ProjectId project, long rows) {
        return step(project, RemovalStage.HISTORY, (transaction, removal) -> {
            long more = rows - removal.removed().historyRows();
            return more <= 0 ? removal : removal.with(new Removed(0, 0, more, 0, 0));
        });
    }

    /** Ends stage {@code HISTORY}. Call only when a count of all physical rows was zero. */
    public Removal historyEmpty(ProjectId project) {
        return step(
                project,
                RemovalStage.HISTORY,
                (transaction, removal) -> removal.at(RemovalStage.RECEIPTS, clock.millis()));
    }

    /** Stage {@code RECEIPTS} gone back: a row came to history after all. */
    public Removal historyNotEmpty(ProjectId project) {
        return step(
                project,
                RemovalStage.RECEIPTS,
                (transaction, removal) -> removal.at(RemovalStage.HISTORY, clock.millis()));
    }

    /**
     * Stage {@code RECEIPTS}: some of the receipts, else of the heads, else of the tokens.
     *
     * @return whether there was anything
     */
    public boolean forget(ProjectId project) {
        return writer.solo(RemovalRows.ROWS_MAX, transaction -> {
                    Removal removal = removals.find(project);
                    if (removal == null || removal.stage() != RemovalStage.RECEIPTS) {
                        return false;
                    }
                    RemovalRows.Forgotten receipts = RemovalRows.forgetReceipts(transaction, project);
                    if (receipts.receipts() > 0) {
                        transaction.state(
                                transaction.state().withoutReceipts(receipts.receipts(), receipts.unproven()));
                        put(transaction, removal.with(new Removed(0, 0, 0, receipts.receipts(), 0)));
                        return true;
                    }
                    int heads = RemovalRows.forgetHeads(transaction, project);
                    if (heads > 0) {
                        transaction.state(transaction.state().withoutHeads(heads));
                        put(transaction, removal.with(new Removed(0, 0, 0, 0, heads)));
                        return true;
                    }
                    return RemovalRows.deleteTokens(transaction, project) > 0;
                })
                .orThrow();
    }

    /** Ends stage {@code RECEIPTS}, when it has nothing left, and the removal. Call only after history was counted empty once more. */
    public Removal finish(ProjectId project) {
        return step(project, RemovalStage.RECEIPTS, (transaction, removal) -> {
            RemovalRows.deleteProject(transaction, project);
            return removal.at(RemovalStage.DONE, clock.millis());
        });
    }

    @FunctionalInterface
    private interface Step {
        Removal take(WriteTransaction transaction, Removal removal) throws SQLException;
    }

    private Removal step(ProjectId project, RemovalStage stage, Step step) {
        Removal after = writer.solo(RemovalRows.ROWS_MAX, transaction -> {
                    Removal removal = removals.find(project);
                    if (removal == null) {
                        throw new IllegalArgumentException("project " + project + " is not being removed");
                    }
                    if (removal.stage() != stage) {
                        return removal;
                    }
                    Removal changed = step.take(transaction, removal);
                    if (!changed.equals(removal)) {
                        put(transaction, changed);
                    }
                    return changed;
                })
                .orThrow();
        obstacles.remove(project);
        return after;
    }

    private void put(WriteTransaction transaction, Removal changed) throws SQLException {
        RemovalRows.put(transaction, changed);
        transaction.afterCommit(() -> removals.put(changed));
    }
}
