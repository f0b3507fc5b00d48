package dev.porcupine.history;

import java.util.List;

/** What looking at the store found. */
public sealed interface Verification {

    record Verified(VerifiedSource source) implements Verification {}

    /**
     * @param findings at least one
     */
    record Refused(List<Finding> findings) implements Verification {}
}
