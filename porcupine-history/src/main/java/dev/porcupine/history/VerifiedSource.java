package dev.porcupine.history;

import dev.porcupine.schema.SourceIdentity;
import java.util.List;
import java.util.UUID;

/** Proof that the store was looked at and found sound. Only a verification makes one. */
public final class VerifiedSource {

    private final SourceIdentity identity;
    private final String stamp;
    private final List<Finding> warnings;
    private final MarksSeen marks;

    /** Of a kind that changes only with its identity. */
    VerifiedSource(SourceIdentity identity) {
        this(identity, identity.tableUuid().toString(), List.of(), MarksSeen.NONE);
    }

    /**
     * @param stamp see {@link SourceStamp}
     */
    VerifiedSource(SourceIdentity identity, String stamp, List<Finding> warnings, MarksSeen marks) {
        this.identity = identity;
        this.stamp = stamp;
        this.warnings = List.copyOf(warnings);
        this.marks = marks;
    }

    /** Up to which {@code seq} this process's events were covered by its mark when the store was looked at. */
    public long markedSeq() {
        return marks.markedSeq();
    }

    /** Whether another ledger has ever delivered here, dead or alive: then a project's number doesn't say whose rows they are. */
    public boolean holdsOtherLedgers() {
        return marks.otherLedgers();
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
