package dev.porcupine.ledger;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/** One transaction of the writer, as its tasks see it. */
final class WriteTransaction {

    private final WriterConnection connection;
    private final LedgerState before;
    private final List<Runnable> afterCommit = new ArrayList<>();
    private LedgerState state;

    WriteTransaction(WriterConnection connection, LedgerState before) {
        this.connection = connection;
        this.before = before;
        this.state = before;
    }

    /** The counters as this transaction has changed them so far. */
    LedgerState state() {
        return state;
    }

    void state(LedgerState changed) {
        state = changed;
    }

    PreparedStatement statement(String sql) throws SQLException {
        return connection.statement(sql);
    }

    /** Just before a statement that changes rows. */
    void rowStep() throws SQLException {
        connection.step(WriteStep.ROW);
    }

    JdbcClient jdbc() {
        return connection.jdbc();
    }

    /** Changes memory, on the writer's thread, once the transaction is on disk and before anyone is answered. */
    void afterCommit(Runnable action) {
        afterCommit.add(action);
    }

    /** Runs one task so that it leaves all or nothing; its exception comes out after its changes are undone. */
    void runTask(WriteTask<?> task) throws SQLException {
        LedgerState stateBefore = state;
        int actionsBefore = afterCommit.size();
        connection.savepoint();
        try {
            connection.step(WriteStep.WORK);
            task.run(this);
            connection.release();
        } catch (SQLException | RuntimeException e) {
            state = stateBefore;
            afterCommit.subList(actionsBefore, afterCommit.size()).clear();
            try {
                connection.rollbackToSavepoint();
            } catch (SQLException undo) {
                e.addSuppressed(undo);
                throw new TransactionLostException(e);
            }
            throw e;
        }
    }

    /** @return whether a counter changed, and so something was written */
    boolean commit() throws SQLException {
        boolean changed = !state.equals(before);
        if (changed) {
            connection.step(WriteStep.STATE);
            state.write(connection.statement(LedgerState.UPDATE));
        }
        connection.commit();
        return changed;
    }

    void committed() {
        afterCommit.forEach(Runnable::run);
    }

    /** A task could not be undone: the whole transaction must not be committed. */
    static final class TransactionLostException extends SQLException {
        private static final long serialVersionUID = 1;

        TransactionLostException(Exception cause) {
            super("a failed task could not be undone", cause);
        }
    }
}
