package dev.porcupine.ledger;

import dev.porcupine.schema.ProjectId;
import java.util.List;
import java.util.Optional;

/** Projects and their write tokens (P53). Lookups are answered from memory, which only commits change. */
public final class Projects {

    /** @param name not blank, at most 200 code points */
    public CreatedProject create(String name) {
        throw new UnsupportedOperationException();
    }

    public List<Project> list() {
        throw new UnsupportedOperationException();
    }

    public Optional<Project> find(ProjectId id) {
        throw new UnsupportedOperationException();
    }

    /** The project that a token writes to; empty for a revoked or unknown one. */
    public Optional<ProjectId> byToken(String secret) {
        throw new UnsupportedOperationException();
    }

    /** Adds a token; the older ones stay valid until revoked. Empty when there is no such project. */
    public Optional<IssuedToken> issueToken(ProjectId id) {
        throw new UnsupportedOperationException();
    }

    public List<ProjectToken> tokens(ProjectId id) {
        throw new UnsupportedOperationException();
    }

    /** @return whether the project had that token */
    public boolean revokeToken(ProjectId id, long tokenId) {
        throw new UnsupportedOperationException();
    }
}
