package dev.porcupine.ledger;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Projects and their write tokens (P53). Lookups are answered from memory, which only commits change. The methods that write throw
 * {@link ProblemException} when the ledger can't.
 */
public final class Projects {

    private static final int NAME_CODE_POINTS_MAX = 200;

    private static final String INSERT_PROJECT = """
            insert into projects (name, created_at) values (?, ?) returning id
            """;

    private static final String INSERT_TOKEN = """
            insert into project_tokens (project_id, secret_hash, hint, created_at) values (?, ?, ?, ?) returning id
            """;

    private static final String LIVE_TOKEN_HASH = """
            select secret_hash from project_tokens where id = ? and project_id = ? and revoked_at is null
            """;

    private static final String REVOKE = """
            update project_tokens set revoked_at = ? where id = ?
            """;

    private final LedgerWriter writer;
    private final ProjectDirectory directory;
    private final InstantSource clock;
    private final TokenSecrets secrets = new TokenSecrets();

    Projects(LedgerWriter writer, ProjectDirectory directory, InstantSource clock) {
        this.writer = writer;
        this.directory = directory;
        this.clock = clock;
    }

    /**
     * Makes a project and its first token, whose secret can't be read again.
     *
     * @param name not blank, at most 200 code points, without control characters; spaces around it are dropped
     * @throws ProblemException {@code PARAMETER_INVALID} for any other name
     */
    public CreatedProject create(String name) {
        String checked = checkedName(name);
        String secret = secrets.next();
        long now = clock.millis();
        return writer.solo(1, transaction -> {
                    transaction.rowStep();
                    long id = transaction
                            .jdbc()
                            .sql(INSERT_PROJECT)
                            .params(checked, now)
                            .query(Long.class)
                            .single();
                    Project project = new Project(new ProjectId(id), checked, now);
                    transaction.afterCommit(() -> directory.add(project));
                    return new CreatedProject(project, insertToken(transaction, project.id(), secret, now));
                })
                .orThrow();
    }

    /** In ascending id. */
    public List<Project> list() {
        return directory.projects();
    }

    public Optional<Project> find(ProjectId id) {
        return directory.project(id);
    }

    /** The project that a token writes to; empty for a revoked or unknown one. */
    public Optional<ProjectId> byToken(String secret) {
        if (secret.isEmpty() || secret.length() > TokenSecrets.LENGTH_MAX) {
            return Optional.empty();
        }
        return directory.byToken(TokenHash.of(secret));
    }

    /** Adds a token; the older ones stay valid until revoked. Empty when there is no such project. */
    public Optional<IssuedToken> issueToken(ProjectId id) {
        String secret = secrets.next();
        long now = clock.millis();
        return writer.solo(
                        1,
                        transaction -> directory.takesWrites(id)
                                ? Optional.of(insertToken(transaction, id, secret, now))
                                : Optional.<IssuedToken>empty())
                .orThrow();
    }

    /** The live ones, in ascending id. */
    public List<ProjectToken> tokens(ProjectId id) {
        return directory.tokens(id);
    }

    /** @return whether the project had that token, and it was live */
    public boolean revokeToken(ProjectId id, long tokenId) {
        long now = clock.millis();
        return writer.solo(1, transaction -> {
                    if (!directory.takesWrites(id)) {
                        return false;
                    }
                    Optional<byte[]> hash = transaction
                            .jdbc()
                            .sql(LIVE_TOKEN_HASH)
                            .params(tokenId, id.value())
                            .query((row, number) -> row.getBytes(1))
                            .optional();
                    if (hash.isEmpty()) {
                        return false;
                    }
                    transaction.rowStep();
                    transaction.jdbc().sql(REVOKE).params(now, tokenId).update();
                    TokenHash revoked = TokenHash.ofBytes(hash.get());
                    transaction.afterCommit(() -> directory.removeToken(revoked));
                    return true;
                })
                .orThrow();
    }

    private IssuedToken insertToken(WriteTransaction transaction, ProjectId project, String secret, long now)
            throws SQLException {
        TokenHash hash = TokenHash.of(secret);
        String hint = TokenSecrets.hint(secret);
        transaction.rowStep();
        long id = transaction
                .jdbc()
                .sql(INSERT_TOKEN)
                .params(project.value(), hash.toBytes(), hint, now)
                .query(Long.class)
                .single();
        ProjectToken token = new ProjectToken(id, hint, now);
        transaction.afterCommit(() -> directory.addToken(project, hash, token));
        return new IssuedToken(id, secret);
    }

    private static String checkedName(String name) {
        String stripped = name.strip();
        if (stripped.isEmpty()) {
            throw new ProblemException(Problem.PARAMETER_INVALID, "a project's name must not be blank");
        }
        int codePoints = stripped.codePointCount(0, stripped.length());
        if (codePoints > NAME_CODE_POINTS_MAX) {
            throw new ProblemException(
                    Problem.PARAMETER_INVALID,
                    "a project's name has at most " + NAME_CODE_POINTS_MAX + " characters, got " + codePoints);
        }
        boolean unprintable = stripped.codePoints()
                .anyMatch(c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE);
        if (unprintable) {
            throw new ProblemException(
                    Problem.PARAMETER_INVALID, "a project's name must not hold control characters or broken text");
        }
        return stripped;
    }
}
