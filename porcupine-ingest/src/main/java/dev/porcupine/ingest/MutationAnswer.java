package dev.porcupine.ingest;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.Problem;
import org.jspecify.annotations.Nullable;

/** How a mutation ended. */
sealed interface MutationAnswer {

    /** The revision is on disk. */
    record Changed(Event revision) implements MutationAnswer {}

    /**
     * The event is deleted.
     *
     * @param repeated whether it was so before; then nothing was written
     */
    record Deleted(long revision, boolean repeated) implements MutationAnswer {}

    /**
     * @param current the event's revision, where the client needs it; else null
     */
    record Refused(Problem problem, String detail, @Nullable Long current) implements MutationAnswer {

        Refused(Problem problem, String detail) {
            this(problem, detail, null);
        }
    }
}
