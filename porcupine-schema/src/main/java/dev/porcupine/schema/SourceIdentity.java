package dev.porcupine.schema;

import java.util.UUID;

/**
 * Which history this is: what the ledger pins, and what a receipt's provenance names (P37).
 *
 * @param tableUuid what the store gave the table when it was created; a table put in its place has another
 * @param fingerprint of the configured address, database and user, in hexadecimal; the password is not in it
 */
public record SourceIdentity(UUID tableUuid, String fingerprint) {

    public SourceIdentity {
        if (fingerprint.isBlank()) {
            throw new IllegalArgumentException("a source has a fingerprint");
        }
    }
}
