package dev.porcupine.ingest;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.ProblemException;

/**
 * Pays for the memory that applying a patch takes beside its body, before it is taken: what many large patches at once need together is bounded
 * like what captures need.
 *
 * <p>A merge keeps a few objects for each member of event and patch, and a member may have as few as five bytes of text. What follows it, the
 * write and the answer, keeps copies of whole texts only. Texts for which the whole budget would not do, as small budgets and events far above
 * the usual limit can make them, are merged when nobody else holds any of it.
 */
final class PatchCost {

    /** Bytes of memory for each byte of either text during the merge. */
    static final int MERGING = 32;

    /** Bytes of memory for each byte of either text from the merge to the answer's end: UTF-16 where it is not Latin-1. */
    static final int AFTERWARDS = 12;

    private final BodyBudget.Charge charge;
    private long held;

    PatchCost(BodyBudget.Charge charge) {
        this.charge = charge;
    }

    /**
     * The next revision. A mutation that was overtaken applies its patch again, and pays once.
     *
     * @throws ProblemException {@code OVERLOADED} when the memory is in use; as {@link EventPatch#applyTo}
     */
    Event apply(EventPatch patch, Event base) {
        long texts = patch.length()
                + base.properties().length
                + base.name().length()
                + base.distinctId().length();
        hold(texts * (patch.merges() ? MERGING : AFTERWARDS));
        Event next = patch.applyTo(base);
        hold(texts * AFTERWARDS);
        return next;
    }

    private void hold(long wanted) {
        long bytes = Math.min(wanted, held + charge.alone());
        if (bytes > held) {
            charge.take(bytes - held);
        } else {
            charge.give(held - bytes);
        }
        held = bytes;
    }
}
