package dev.porcupine.ledger;

import dev.porcupine.schema.ProjectId;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * Makes {@code ledger-v1.db}, a ledger as the first release left it: schema version 1, receipts without provenance, queue rows without
 * protocol marker, inserted by that release's statements. The file is committed and never made anew; this is how it was made. Argument:
 * where to write it.
 */
final class LedgerV1 {

    static final int PROJECTS = 3;

    /** Per project, events 0 to this are delivered. */
    static final int RECEIPTS = 40;

    /** Per project, the next ones are queued. */
    static final int QUEUED = 5;

    static final List<String> SECRETS = List.of("phc_v1_first", "phc_v1_second", "phc_v1_third");

    private static final String INSERT_QUEUE = """
            insert into event_queue (
                project_id, uuid, revision, is_deleted, name, distinct_id, timestamp_us, received_at, bytes, properties
            )
            values (?, ?, 1, 0, ?, ?, ?, ?, ?, ?)
            """;

    private LedgerV1() {}

    public static void main(String[] args) throws Exception {
        Path directory = Files.createTempDirectory("ledger-v1");
        LedgerFile file = new LedgerFile(directory);
        file.createOrRecognise();
        LedgerMigrations.migrate(file, "1");
        try (Connection connection = file.openForWriting()) {
            connection.setAutoCommit(false);
            for (int project = 1; project <= PROJECTS; project++) {
                fill(connection, new ProjectId(project));
            }
            connection.setAutoCommit(true);
        }
        Files.copy(file.path(), Path.of(args[0]));
    }

    private static void fill(Connection connection, ProjectId project) throws SQLException {
        update(
                connection,
                "insert into projects (name, created_at) values (?, ?)",
                "project " + project,
                1_790_000_000_000L);
        String secret = SECRETS.get((int) project.value() - 1);
        update(
                connection,
                "insert into project_tokens (project_id, secret_hash, hint, created_at) values (?, ?, ?, ?)",
                project.value(),
                TokenHash.of(secret).toBytes(),
                TokenSecrets.hint(secret),
                1_790_000_000_000L);
        for (int n = 0; n < RECEIPTS; n++) {
            update(
                    connection,
                    "insert into event_receipts (project_id, uuid, received_at) values (?, ?, ?)",
                    project.value(),
                    Samples.uuid(n).toBytes(),
                    1_790_000_000_000L + n);
        }
        for (int n = RECEIPTS; n < RECEIPTS + QUEUED; n++) {
            byte[] properties = ("{\"n\":" + n + "}").getBytes(StandardCharsets.UTF_8);
            update(
                    connection,
                    INSERT_QUEUE,
                    project.value(),
                    Samples.uuid(n).toBytes(),
                    "signup",
                    "user-" + n,
                    1_790_000_000_000_000L + n,
                    1_790_000_000_000L + n,
                    EncodedEvent.ROW_OVERHEAD_BYTES + properties.length,
                    properties);
        }
        update(
                connection,
                "insert into mutation_heads (project_id, uuid, revision, is_deleted, received_at) values (?, ?, 2, 1, ?)",
                project.value(),
                Samples.uuid(1_000).toBytes(),
                1_790_000_000_000L);
    }

    private static void update(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            statement.executeUpdate();
        }
    }
}
