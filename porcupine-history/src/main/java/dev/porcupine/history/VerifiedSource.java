package dev.porcupine.history;

import dev.porcupine.schema.SourceIdentity;
import java.util.List;
import java.util.UUID;

/** Proof that the store was looked at and found sound. Only a verification makes one. */
public final class VerifiedSource {

    private final SourceIdentity identity;
    private final String stamp;
    private final List<Finding> warnings;
    private final long markedSeq;

    /** Of a kind that changes only with its identity. */
    VerifiedSource(SourceIdentity identity) {
        this(identity, identity.tableUuid().toString(), List.of(), 0);
    }

    /**
     * @param stamp see {@link SourceStamp}
     * @param markedSeq of this process's mark, 0 where it has none
     */
    VerifiedSource(SourceIdentity identity, String stamp, List<Finding> warnings, long markedSeq) {
        this.identity = identity;
        this.stamp = stamp;
        this.warnings = List.copyOf(warnings);
        this.markedSeq = markedSeq;
    }

    /** Up to which {@code seq} this process's events were covered by its mark when the store was looked at. */
    public long markedSeq() {
        return markedSeq;
    }

    String stamp() {
        return stamp;
    }

    /** What is not as it should be without putting an answer in doubt. */
    public List<Finding> warnings() {
        return warnings;
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
