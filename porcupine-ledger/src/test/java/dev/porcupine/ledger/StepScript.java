package dev.porcupine.ledger;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Counts the writer's steps and, when told, fails or stops it at one of them. */
final class StepScript implements WriteSteps {

    /** What to do at a step. */
    @FunctionalInterface
    interface Action {
        void run(Connection connection) throws SQLException;
    }

    private final List<WriteStep> seen = new ArrayList<>();
    private int actAt = -1;
    private @Nullable WriteStep actAtStep;
    private @Nullable Action action;

    @Override
    public void at(WriteStep step, Connection connection) throws SQLException {
        Action due = null;
        synchronized (this) {
            int number = seen.size();
            seen.add(step);
            if (action != null && (number == actAt || step == actAtStep)) {
                due = action;
                action = null;
            }
        }
        if (due != null) {
            due.run(connection);
        }
    }

    /** Forgets what it saw; at the n-th step from here (from 0) it acts once. */
    synchronized void actAt(int number, Action what) {
        seen.clear();
        actAt = number;
        actAtStep = null;
        action = what;
    }

    /** At the next such step it acts once. */
    synchronized void actAt(WriteStep step, Action what) {
        seen.clear();
        actAt = -1;
        actAtStep = step;
        action = what;
    }

    /** Forgets what it saw, and acts no more. */
    synchronized void watch() {
        seen.clear();
        action = null;
    }

    synchronized List<WriteStep> seen() {
        return List.copyOf(seen);
    }

    synchronized boolean acted() {
        return action == null;
    }

    static Action fail() {
        return connection -> {
            throw new SQLException("planted failure");
        };
    }

    /** Stops the writer until it is let go. */
    static final class Gate implements Action {
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch open = new CountDownLatch(1);

        @Override
        public void run(Connection connection) {
            reached.countDown();
            await(open);
        }

        void awaitReached() {
            await(reached);
        }

        void open() {
            open.countDown();
        }

        private static void await(CountDownLatch latch) {
            try {
                if (!latch.await(30, TimeUnit.SECONDS)) {
                    throw new AssertionError("nothing happened for 30 s");
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
