package dev.porcupine.ingest;

/** Told of each step of each proof, on the batch's own thread. */
@FunctionalInterface
interface ProofSteps {

    ProofSteps NONE = step -> {};

    void at(ProofStep step);
}
