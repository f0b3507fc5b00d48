package dev.porcupine.ingest;

import dev.porcupine.schema.ProjectId;
import java.util.Optional;

/** Which project a token writes to. Answers from memory. */
@FunctionalInterface
interface TokenLookup {

    Optional<ProjectId> project(String token);
}
