package dev.porcupine.app;

import dev.porcupine.history.Finding;
import dev.porcupine.history.Verification;
import dev.porcupine.history.VerifiedSource;
import dev.porcupine.schema.SourceIdentity;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the last look at history found.
 *
 * @param identity which store it is; null unless verified
 * @param findings why it can't be trusted; empty exactly when verified
 * @param warnings what is not as it should be without putting an answer in doubt
 */
record SourceState(@Nullable SourceIdentity identity, List<Finding> findings, List<Finding> warnings) {

    static SourceState of(Verification verification) {
        return switch (verification) {
            case Verification.Verified(VerifiedSource source) ->
                new SourceState(source.identity(), List.of(), source.warnings());
            case Verification.Refused(List<Finding> findings) -> new SourceState(null, findings, List.of());
        };
    }

    @Nullable UUID tableUuid() {
        return identity == null ? null : identity.tableUuid();
    }

    boolean verified() {
        return findings.isEmpty();
    }
}
