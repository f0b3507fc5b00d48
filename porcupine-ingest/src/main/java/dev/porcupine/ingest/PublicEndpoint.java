package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Something that SDKs call without admin rights. */
interface PublicEndpoint {

    /** Besides OPTIONS. */
    Set<String> methods();

    /** Bytes of a body as sent. */
    int bodyBytesMax();

    /** @throws dev.porcupine.schema.ProblemException to refuse */
    HttpAnswer answer(PublicRequest request, BodyBudget.Charge charge);

    /** Called once for every request that got an answer. */
    default void answered(@Nullable Problem problem, long bytes, long nanos) {}

    /** Called once for every request whose client went away before. */
    default void aborted(long bytes) {}
}
