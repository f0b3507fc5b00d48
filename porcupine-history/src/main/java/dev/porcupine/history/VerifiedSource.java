package dev.porcupine.history;

import java.util.UUID;

/** Proof that the store was looked at and found sound. Only a verification makes one. */
public final class VerifiedSource {

    private final UUID tableUuid;

    VerifiedSource(UUID tableUuid) {
        this.tableUuid = tableUuid;
    }

    /** The identity that the store gave the table; a recreated table has another. */
    public UUID tableUuid() {
        return tableUuid;
    }
}
