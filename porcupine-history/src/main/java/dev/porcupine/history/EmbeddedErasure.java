package dev.porcupine.history;

import dev.porcupine.schema.ProjectId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** Deletes a project from the embedded history by small transactions, between which inserts have their turn. */
final class EmbeddedErasure implements ProjectErasure {

    /** Rows of one transaction: an insert waits for no more. */
    static final int CHUNK_ROWS = 256;

    /** Transactions of one call. */
    private static final int CHUNKS_MAX = 32;

    private static final String DELETE = """
            delete from events
            where rowid in (select rowid from events where project_id = ? limit ?)
            """;

    private static final String COUNT = "select count(*) from events where project_id = ?";

    private final EmbeddedHistory history;

    EmbeddedErasure(EmbeddedHistory history) {
        this.history = history;
    }

    @Override
    public EraseResult erase(VerifiedSource source, ProjectId project) {
        return answer(() -> {
            int deleted = CHUNK_ROWS;
            for (int chunk = 0; chunk < CHUNKS_MAX && deleted > 0; chunk++) {
                deleted = history.transaction(source, connection -> delete(connection, project));
            }
            return count(source, project);
        });
    }

    @Override
    public EraseResult look(VerifiedSource source, ProjectId project) {
        return answer(() -> count(source, project));
    }

    /** An insert that ends without an answer is rolled back with its connection. */
    @Override
    public Duration insertsLinger() {
        return Duration.ZERO;
    }

    private static int delete(Connection connection, ProjectId project) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(DELETE)) {
            delete.setLong(1, project.value());
            delete.setInt(2, CHUNK_ROWS);
            return delete.executeUpdate();
        }
    }

    /** By the connection that writes: what it does not see, nobody will. */
    private EraseResult count(VerifiedSource source, ProjectId project)
            throws SQLException, EmbeddedFile.NotAHistoryException {
        long rows = history.transaction(source, connection -> rows(connection, project));
        return rows == 0 ? new EraseResult.Empty() : new EraseResult.Left(rows);
    }

    private EraseResult answer(Work work) {
        try {
            return work.run();
        } catch (EmbeddedFile.NotAHistoryException | SQLException e) {
            return new EraseResult.Failed(history.path() + " can't be read or written: " + e.getMessage());
        }
    }

    @FunctionalInterface
    private interface Work {
        EraseResult run() throws SQLException, EmbeddedFile.NotAHistoryException;
    }

    private static long rows(Connection connection, ProjectId project) throws SQLException {
        try (PreparedStatement count = connection.prepareStatement(COUNT)) {
            count.setLong(1, project.value());
            try (ResultSet row = count.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }
}
