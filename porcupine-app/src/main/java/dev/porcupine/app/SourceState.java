package dev.porcupine.app;

import dev.porcupine.history.Finding;
import dev.porcupine.history.Verification;
import dev.porcupine.ledger.SourcePin;
import dev.porcupine.schema.SourceIdentity;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the last look at history found.
 *
 * @param identity which store it is; null unless verified
 * @param findings why it can't be trusted; empty exactly when verified
 */
record SourceState(@Nullable SourceIdentity identity, List<Finding> findings) {

    static SourceState of(Verification verification, SourcePin pin) {
        return switch (verification) {
            case Verification.Verified verified
            when !pin.trusts(verified.source().identity()) ->
                new SourceState(
                        null,
                        List.of(new Finding(
                                "source_changed",
                                "the ledger is pinned to another history than the configured one, so nothing is asked of it or"
                                        + " delivered to it; configure the pinned one again")));
            case Verification.Verified verified ->
                new SourceState(verified.source().identity(), List.of());
            case Verification.Refused refused -> new SourceState(null, refused.findings());
        };
    }

    @Nullable UUID tableUuid() {
        return identity == null ? null : identity.tableUuid();
    }

    boolean verified() {
        return findings.isEmpty();
    }
}
