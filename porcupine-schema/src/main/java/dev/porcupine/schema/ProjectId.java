package dev.porcupine.schema;

/**
 * A project's number, positive and never reused, so that a receipt can't be mistaken for one of a later project (P2).
 *
 * @param value 1 or more
 */
public record ProjectId(long value) implements Comparable<ProjectId> {

    public ProjectId {
        if (value < 1) {
            throw new IllegalArgumentException("a project id is 1 or more, got " + value);
        }
    }

    @Override
    public int compareTo(ProjectId other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
