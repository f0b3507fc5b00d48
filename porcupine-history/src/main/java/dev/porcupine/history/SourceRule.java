package dev.porcupine.history;

import java.util.List;

/** One thing that must hold for the source. Pure: judges facts, asks nobody. */
@FunctionalInterface
interface SourceRule {

    List<Finding> findings(SourceFacts facts);
}
