package dev.porcupine.ledger;

/**
 * One event's fate.
 *
 * @param kind new, or who knew it
 * @param conflict a duplicate whose name or distinct_id differs from the first one's, as far as the ledger still knows it
 */
public record Verdict(Kind kind, boolean conflict) {

    public enum Kind {
        ACCEPTED,
        KNOWN_IN_QUEUE,
        KNOWN_IN_QUARANTINE,
        KNOWN_BY_RECEIPT,
        KNOWN_BY_HEAD,
        /** By a probe; the ledger itself never says so. */
        KNOWN_IN_HISTORY
    }
}
