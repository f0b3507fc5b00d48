package dev.porcupine.history;

import dev.porcupine.schema.SourceIdentity;
import java.util.UUID;

/** Proof that the store was looked at and found sound. Only a verification makes one. */
public final class VerifiedSource {

    private final SourceIdentity identity;

    VerifiedSource(SourceIdentity identity) {
        this.identity = identity;
    }

    /** Which store this is; the ledger compares it with its pin. */
    public SourceIdentity identity() {
        return identity;
    }

    /** The identity that the store gave the table; a recreated table has another. */
    public UUID tableUuid() {
        return identity.tableUuid();
    }
}
