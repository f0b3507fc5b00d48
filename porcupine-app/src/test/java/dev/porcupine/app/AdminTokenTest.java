package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdminTokenTest {

    @TempDir
    Path dataDir;

    @Test
    void a_generated_token_is_kept_for_the_owner_alone_and_survives_a_restart() throws IOException {
        AdminToken first = AdminToken.of(null, dataDir);
        Path file = dataDir.resolve(AdminToken.FILE_NAME);
        String secret = Files.readString(file).strip();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(secret).hasSizeGreaterThanOrEqualTo(43);
        assertThat(first.matches(secret)).isTrue();
        assertThat(AdminToken.of(null, dataDir).matches(secret)).isTrue();
        assertThat(dataDir).isDirectoryNotContaining(path -> path.toString().endsWith(".new"));
    }

    @Test
    void only_the_whole_token_matches() {
        AdminToken token = AdminToken.of("correct-horse", dataDir);
        assertThat(token.matches("correct-horse")).isTrue();
        assertThat(token.matches("correct-hors")).isFalse();
        assertThat(token.matches("Correct-horse")).isFalse();
        assertThat(token.matches("")).isFalse();
    }

    @Test
    void a_configured_token_writes_no_file() {
        AdminToken.of("correct-horse", dataDir);
        assertThat(dataDir).isEmptyDirectory();
    }

    @Test
    void a_token_file_that_others_could_read_is_closed_to_them() throws IOException {
        Path file = dataDir.resolve(AdminToken.FILE_NAME);
        Files.writeString(file, "correct-horse\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

        assertThat(AdminToken.of(null, dataDir).matches("correct-horse")).isTrue();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void an_empty_token_file_stops_start_up() throws IOException {
        Files.writeString(dataDir.resolve(AdminToken.FILE_NAME), "\n");
        assertThatThrownBy(() -> AdminToken.of(null, dataDir))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("is empty");
    }

    @Test
    void a_token_half_written_by_a_crash_is_replaced() throws IOException {
        Files.writeString(dataDir.resolve(AdminToken.FILE_NAME + ".new"), "half");
        AdminToken.of(null, dataDir);
        assertThat(Files.readString(dataDir.resolve(AdminToken.FILE_NAME))).doesNotContain("half");
    }
}
