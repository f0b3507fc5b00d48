package dev.porcupine.ingest;

import dev.porcupine.schema.ProjectId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The latest few things that an operator may want to see of each project, in memory. Bounded in both directions, because whoever has
 * a public token can fill it.
 */
final class RecentPerProject<T> {

    static final int PER_PROJECT_MAX = 100;
    static final int PROJECTS_MAX = 200;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<ProjectId, Deque<T>> recent = new LinkedHashMap<>(16, 0.75f, true);

    void add(ProjectId project, T entry) {
        lock.lock();
        try {
            Deque<T> entries = recent.computeIfAbsent(project, id -> new ArrayDeque<>());
            if (entries.size() == PER_PROJECT_MAX) {
                entries.removeLast();
            }
            entries.addFirst(entry);
            if (recent.size() > PROJECTS_MAX) {
                recent.remove(recent.keySet().iterator().next());
            }
        } finally {
            lock.unlock();
        }
    }

    void forget(ProjectId project) {
        lock.lock();
        try {
            recent.remove(project);
        } finally {
            lock.unlock();
        }
    }

    /** The newest first. */
    List<T> list(ProjectId project) {
        lock.lock();
        try {
            Deque<T> entries = recent.get(project);
            return entries == null ? List.of() : List.copyOf(entries);
        } finally {
            lock.unlock();
        }
    }
}
