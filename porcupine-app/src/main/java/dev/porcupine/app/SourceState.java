package dev.porcupine.app;

import dev.porcupine.history.Finding;
import dev.porcupine.history.Verification;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the last look at history found.
 *
 * @param tableUuid the identity that the store gave the table; null unless verified
 * @param findings why it can't be trusted; empty exactly when verified
 */
record SourceState(@Nullable UUID tableUuid, List<Finding> findings) {

    /** Before the first look. Unknown is not sound. */
    static final SourceState NOT_LOOKED_YET = new SourceState(
            null, List.of(new Finding("not_verified_yet", "History was not looked at yet; that follows at once.")));

    static SourceState of(Verification verification) {
        return switch (verification) {
            case Verification.Verified verified ->
                new SourceState(verified.source().tableUuid(), List.of());
            case Verification.Refused refused -> new SourceState(null, refused.findings());
        };
    }

    boolean verified() {
        return findings.isEmpty();
    }
}
