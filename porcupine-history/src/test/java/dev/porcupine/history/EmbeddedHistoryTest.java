package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.ProjectId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedHistoryTest extends HistoryContract {

    @TempDir
    Path dataDir;

    private History history;

    private final ProjectId project = Sample.freshProject();

    @BeforeEach
    void open() {
        history = Histories.embedded(dataDir);
    }

    @AfterEach
    void close() {
        history.close();
    }

    @Override
    History history() {
        return history;
    }

    @Test
    void opening_touches_no_file() {
        assertThat(dataDir).isEmptyDirectory();
    }

    @Test
    void identity_and_events_outlive_the_process() {
        Event event = Sample.event(project);
        insert(event);
        VerifiedSource before = source();
        history.close();

        history = Histories.embedded(dataDir);

        assertThat(source().tableUuid()).isEqualTo(before.tableUuid());
        assertThat(history.find(event.identity())).contains(event);
    }

    @Test
    void no_side_file_stays_behind_a_closed_history() {
        insert(Sample.event(project));
        history.count(project);
        history.close();

        assertThat(dataDir).isDirectoryNotContaining("glob:**-{wal,shm}");
    }

    @Test
    void a_file_replaced_under_the_open_history_acknowledges_nothing() throws IOException {
        VerifiedSource source = source();
        Files.delete(dataDir.resolve("history.db"));
        Files.deleteIfExists(dataDir.resolve("history.db-wal"));
        Files.deleteIfExists(dataDir.resolve("history.db-shm"));

        assertThat(history.insert(source, List.of(Sample.event(project)))).isInstanceOf(InsertResult.Unknown.class);
        assertThat(source().tableUuid()).as("another history now").isNotEqualTo(source.tableUuid());
    }

    @Test
    void a_full_disk_keeps_the_batch_out_whole_and_the_history_goes_on_after_it() {
        VerifiedSource source = source();
        insert(Sample.events(project, 10));
        List<Event> batch = Sample.events(project, 2_000);
        history.close();
        history = new EmbeddedHistory(new EmbeddedFile(dataDir, 40), null);

        assertThat(history.insert(source, batch)).isInstanceOf(InsertResult.Unknown.class);
        assertThat(history.count(project)).isEqualTo(10);
        insert(Sample.event(project));
        assertThat(history.count(project)).as("a small batch still fits").isEqualTo(11);

        history.close();
        history = Histories.embedded(dataDir);
        insert(batch);
        assertThat(history.count(project)).isEqualTo(2_011);
    }

    @Test
    void a_database_of_something_else_is_refused_and_left_alone() throws SQLException {
        history.close();
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + dataDir.resolve("history.db"));
                Statement statement = other.createStatement()) {
            statement.execute("create table theirs (x)");
        }
        history = Histories.embedded(dataDir);

        assertThat(history.verify())
                .isInstanceOfSatisfying(
                        Verification.Refused.class,
                        refused -> assertThat(refused.findings())
                                .extracting(Finding::code)
                                .containsExactly("source_foreign_file"));
        assertThat(catchThrowableOfType(HistoryReadException.class, () -> history.count(project))
                        .kind())
                .isEqualTo(HistoryReadException.Kind.UNAVAILABLE);
    }

    @Test
    void a_file_of_a_newer_version_is_refused() throws SQLException {
        source();
        history.close();
        try (Connection newer = DriverManager.getConnection("jdbc:sqlite:" + dataDir.resolve("history.db"));
                Statement statement = newer.createStatement()) {
            statement.execute("pragma user_version = 2");
        }
        history = Histories.embedded(dataDir);

        assertThat(history.verify())
                .isInstanceOfSatisfying(
                        Verification.Refused.class,
                        refused -> assertThat(refused.findings())
                                .extracting(Finding::code)
                                .containsExactly("source_newer_file"));
    }

    @Test
    void a_file_that_is_no_database_is_refused() throws IOException {
        Files.writeString(
                dataDir.resolve("history.db"), "not a database, but longer than its header of 100 bytes ".repeat(9));

        assertThat(history.verify())
                .isInstanceOfSatisfying(
                        Verification.Refused.class,
                        refused -> assertThat(refused.findings())
                                .extracting(Finding::code)
                                .containsExactly("source_unreadable"));
    }

    @Test
    void a_missing_data_directory_is_refused() {
        History nowhere = Histories.embedded(dataDir.resolve("missing"));

        assertThat(nowhere.verify()).isInstanceOf(Verification.Refused.class);
    }

    @Test
    void a_page_starts_at_its_position_in_the_index() throws SQLException {
        source();
        StringBuilder plan = new StringBuilder();
        try (Connection connection = new EmbeddedFile(dataDir).openReader();
                var explain = connection.prepareStatement("explain query plan " + EmbeddedReads.PAGE)) {
            try (var rows = explain.executeQuery()) {
                while (rows.next()) {
                    plan.append(rows.getString("detail")).append('\n');
                }
            }
        }

        assertThat(plan.toString())
                .contains(
                        "USING INDEX events_by_time (project_id=? AND timestamp_micros>? AND (timestamp_micros,uuid)<(?,?))")
                .doesNotContain("TEMP B-TREE");
    }
}
