package dev.porcupine.ledger;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/** Queue, quarantine, receipts and heads as readers see them, off the writer's thread (P13). */
public final class LocalRecord {

    private final DataSource readers;
    private final LedgerWriter writer;
    private final Leases leases;

    LocalRecord(DataSource readers, LedgerWriter writer, Leases leases) {
        this.readers = readers;
        this.writer = writer;
        this.leases = leases;
    }

    /** Whether nothing was ever evicted or omitted, as of the last commit. Once false it stays false. */
    public boolean complete() {
        return writer.state().complete();
    }

    /**
     * Which of these events are duplicates already, by one snapshot of the whole local record: an event that moves from one table to
     * another in the meantime can't slip between two reads.
     *
     * @throws ProblemException {@code LEDGER_UNAVAILABLE} when the ledger can't be read
     */
    public LocalLook look(List<Event> events) {
        Map<EventUuid, Verdict> known = new HashMap<>();
        try (Connection connection = readers.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement lookUp = connection.prepareStatement(AcceptRows.LOOK_UP)) {
                for (Event event : events) {
                    Verdict verdict = AcceptRows.lookUp(lookUp, EncodedEvent.of(event));
                    if (verdict != null) {
                        known.put(event.identity().uuid(), verdict);
                    }
                }
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw new ProblemException(Problem.LEDGER_UNAVAILABLE, "the ledger can't be read now");
        }
        return new LocalLook(known);
    }

    /**
     * Keeps the receipts of these identities, where they have any or get any, from being evicted (P17). Take it before the last look.
     *
     * @return empty when too many lookups are under way
     */
    public Optional<LookupLease> lease(ProjectId project, Set<EventUuid> uuids) {
        return leases.take(project, uuids);
    }
}
