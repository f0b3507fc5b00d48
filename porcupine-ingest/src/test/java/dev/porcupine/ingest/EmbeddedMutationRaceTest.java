package dev.porcupine.ingest;

import dev.porcupine.history.Histories;
import dev.porcupine.history.History;
import java.nio.file.Path;

class EmbeddedMutationRaceTest extends MutationRaceContract {

    @Override
    History openHistory(Path dir) {
        return Histories.embedded(dir);
    }
}
