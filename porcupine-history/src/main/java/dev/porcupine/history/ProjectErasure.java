package dev.porcupine.history;

import dev.porcupine.schema.ProjectId;
import java.time.Duration;

/**
 * How the rows of a removed project leave history (P2): every physical row, in every partition, on every volume. For projects that nobody
 * writes for any more; what comes in meanwhile may stay.
 */
public interface ProjectErasure {

    /**
     * Deletes, or goes on deleting, and waits for it for some seconds at most. May be called again at any time, also after a crash.
     *
     * @return {@link EraseResult.Empty} only where a complete count found no physical row in the verified table
     */
    EraseResult erase(VerifiedSource source, ProjectId project);

    /** Counts, and deletes nothing. */
    EraseResult look(VerifiedSource source, ProjectId project);

    /** How long an insert that its caller gave up, or whose process was killed, may still bring rows in. */
    Duration insertsLinger();
}
