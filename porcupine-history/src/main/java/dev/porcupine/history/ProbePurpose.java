package dev.porcupine.history;

/** Who asks. Each has slots of its own, so that nobody takes capture's (P21). */
public enum ProbePurpose {
    CAPTURE(2),
    RECONCILE(1),
    MUTATION(1);

    private final int slots;

    ProbePurpose(int slots) {
        this.slots = slots;
    }

    /** Probes at once. */
    int slots() {
        return slots;
    }
}
