package dev.porcupine.ingest;

/** Told of each step of each mutation, on its own thread. */
@FunctionalInterface
interface MutationSteps {

    MutationSteps NONE = step -> {};

    void at(MutationStep step);
}
