package dev.porcupine.ledger;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The two waiting lines before the writer. Capture batches are taken in groups that share a transaction; everything else is taken
 * alone, because one transaction must not settle (and later evict) more than 256 receipts (P11).
 *
 * <p>Fair by rows while both lines wait: after a group of n events the solo lane may write n rows (at least one settlement), then it
 * is capture's turn again. Turn by turn instead would let groups of 1,000 fill the queue four times faster than settlements of 256
 * drain it.
 */
final class WriteLanes {

    enum Lane {
        CAPTURE,
        SOLO
    }

    enum Offer {
        TAKEN,
        FULL,
        CLOSED
    }

    private static final int SOLO_TURN_ROWS_MIN = 256;

    private final WriterLimits limits;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Line captures = new Line();
    private final Line solos = new Line();
    private int soloTurnRows;
    private boolean closed;

    WriteLanes(WriterLimits limits) {
        this.limits = limits;
    }

    Offer offer(Lane lane, WriteTask<?> task) {
        lock.lock();
        try {
            if (closed) {
                return Offer.CLOSED;
            }
            Line line = switch (lane) {
                case CAPTURE -> captures;
                case SOLO -> solos;
            };
            if (!line.hasRoomFor(task)) {
                return Offer.FULL;
            }
            line.add(task);
            arrived.signal();
            return Offer.TAKEN;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for work. The next transaction's tasks, already claimed; empty only after {@link #close}. */
    List<WriteTask<?>> take() throws InterruptedException {
        lock.lock();
        try {
            while (!closed) {
                List<WriteTask<?>> next = poll();
                if (!next.isEmpty()) {
                    return next;
                }
                if (captures.isEmpty() && solos.isEmpty()) {
                    arrived.await();
                }
            }
            return List.of();
        } finally {
            lock.unlock();
        }
    }

    /** Takes no more work; what still waits is handed back to be refused. */
    List<WriteTask<?>> close() {
        lock.lock();
        try {
            closed = true;
            arrived.signalAll();
            List<WriteTask<?>> rest = new ArrayList<>();
            while (!captures.isEmpty()) {
                rest.add(captures.remove());
            }
            while (!solos.isEmpty()) {
                rest.add(solos.remove());
            }
            return rest;
        } finally {
            lock.unlock();
        }
    }

    int waitingCaptures() {
        lock.lock();
        try {
            return captures.tasks.size();
        } finally {
            lock.unlock();
        }
    }

    private List<WriteTask<?>> poll() {
        boolean solo = captures.isEmpty() || (!solos.isEmpty() && soloTurnRows > 0);
        return solo ? pollSolo() : pollGroup();
    }

    private List<WriteTask<?>> pollSolo() {
        while (!solos.isEmpty()) {
            WriteTask<?> task = solos.remove();
            if (task.claim()) {
                soloTurnRows -= Math.max(1, task.rows());
                return List.of(task);
            }
        }
        return List.of();
    }

    private List<WriteTask<?>> pollGroup() {
        List<WriteTask<?>> group = new ArrayList<>();
        int rows = 0;
        while (!captures.isEmpty() && group.size() < limits.groupTasksMax()) {
            if (!group.isEmpty() && rows + captures.first().rows() > limits.groupRowsMax()) {
                break;
            }
            WriteTask<?> task = captures.remove();
            if (task.claim()) {
                group.add(task);
                rows += task.rows();
            }
        }
        soloTurnRows = Math.max(SOLO_TURN_ROWS_MIN, rows);
        return group;
    }

    private final class Line {
        private final ArrayDeque<WriteTask<?>> tasks = new ArrayDeque<>();
        private long bytes;

        boolean isEmpty() {
            return tasks.isEmpty();
        }

        boolean hasRoomFor(WriteTask<?> task) {
            return tasks.isEmpty()
                    || (tasks.size() < limits.waitingTasksMax() && bytes + task.bytes() <= limits.waitingBytesMax());
        }

        void add(WriteTask<?> task) {
            tasks.add(task);
            bytes += task.bytes();
        }

        WriteTask<?> first() {
            return tasks.getFirst();
        }

        WriteTask<?> remove() {
            WriteTask<?> task = tasks.removeFirst();
            bytes -= task.bytes();
            return task;
        }
    }
}
