package dev.porcupine.ledger;

import dev.porcupine.schema.ProjectId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Projects and live tokens in memory, so that looking up a token never waits for the disk. Changed by the writer's thread alone: after
 * a commit, or anew for a new connection.
 */
final class ProjectDirectory implements LedgerWriter.Mirror {

    private static final String PROJECTS = """
            select id, name, created_at from projects where id not in (select project_id from project_removals)
            """;

    private static final String LIVE_TOKENS = """
            select id, project_id, secret_hash, hint, created_at
            from project_tokens
            where revoked_at is null and project_id not in (select project_id from project_removals)
            """;

    private volatile Tables tables = new Tables();

    @Override
    public void reload(Connection connection) throws SQLException {
        Tables read = new Tables();
        try (PreparedStatement select = connection.prepareStatement(PROJECTS);
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                read.add(new Project(new ProjectId(row.getLong(1)), row.getString(2), row.getLong(3)));
            }
        }
        try (PreparedStatement select = connection.prepareStatement(LIVE_TOKENS);
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                read.add(
                        new ProjectId(row.getLong(2)),
                        TokenHash.ofBytes(row.getBytes(3)),
                        new ProjectToken(row.getLong(1), row.getString(4), row.getLong(5)));
            }
        }
        tables = read;
    }

    void add(Project project) {
        tables.add(project);
    }

    void addToken(ProjectId project, TokenHash hash, ProjectToken token) {
        tables.add(project, hash, token);
    }

    void removeToken(TokenHash hash) {
        tables.tokens.remove(hash);
    }

    /** Of a project that is being removed nothing is known here any more. */
    void remove(ProjectId project) {
        Tables current = tables;
        current.projects.remove(project);
        current.tokens.values().removeIf(owned -> owned.project().equals(project));
    }

    /**
     * The fence of a removal: whether a transaction may write for the project. Ask on the writer's thread, inside the transaction; there the
     * answer is that of the disk (see {@link Removals}).
     */
    boolean takesWrites(ProjectId project) {
        return tables.projects.containsKey(project);
    }

    List<Project> projects() {
        return List.copyOf(tables.projects.values());
    }

    Optional<Project> project(ProjectId id) {
        return Optional.ofNullable(tables.projects.get(id));
    }

    Optional<ProjectId> byToken(TokenHash hash) {
        return Optional.ofNullable(tables.tokens.get(hash)).map(Owned::project);
    }

    List<ProjectToken> tokens(ProjectId project) {
        return tables.tokens.values().stream()
                .filter(owned -> owned.project().equals(project))
                .map(Owned::token)
                .sorted((a, b) -> Long.compare(a.id(), b.id()))
                .toList();
    }

    private record Owned(ProjectId project, ProjectToken token) {}

    private static final class Tables {
        private final ConcurrentSkipListMap<ProjectId, Project> projects = new ConcurrentSkipListMap<>();
        private final ConcurrentHashMap<TokenHash, Owned> tokens = new ConcurrentHashMap<>();

        void add(Project project) {
            projects.put(project.id(), project);
        }

        void add(ProjectId project, TokenHash hash, ProjectToken token) {
            tokens.put(hash, new Owned(project, token));
        }
    }
}
