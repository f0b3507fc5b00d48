package dev.porcupine.ledger;

import dev.porcupine.schema.ProjectId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/** Every removal in memory, ended ones too: some bytes each. Changed by the writer's thread alone: after a commit, or anew for a new connection. */
final class RemovalDirectory implements LedgerWriter.Mirror {

    private volatile ConcurrentSkipListMap<Long, Removal> removals = new ConcurrentSkipListMap<>();

    @Override
    public void reload(Connection connection) throws SQLException {
        ConcurrentSkipListMap<Long, Removal> read = new ConcurrentSkipListMap<>();
        for (Removal removal : RemovalRows.all(connection)) {
            read.put(removal.project().value(), removal);
        }
        removals = read;
    }

    void put(Removal removal) {
        removals.put(removal.project().value(), removal);
    }

    @Nullable Removal find(ProjectId project) {
        return removals.get(project.value());
    }

    boolean names(long project) {
        return removals.containsKey(project);
    }

    Collection<Removal> all() {
        return List.copyOf(removals.values());
    }
}
