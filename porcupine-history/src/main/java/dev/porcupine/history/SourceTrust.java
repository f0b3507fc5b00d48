package dev.porcupine.history;

import dev.porcupine.schema.SourceIdentity;
import java.util.Optional;

/** What the owner of the pin says to a sound source: it may still be the wrong one. Reads memory only. */
@FunctionalInterface
public interface SourceTrust {

    SourceTrust ANY = source -> Optional.empty();

    Optional<Finding> objection(SourceIdentity source);
}
