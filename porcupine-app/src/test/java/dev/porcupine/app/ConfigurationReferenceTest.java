package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The settings and their page are a pair. */
class ConfigurationReferenceTest {

    private static final Path PAGE = Path.of("../docs/reference/configuration.md");
    private static final Pattern ROW =
            Pattern.compile("^\\| `(porcupine\\.[a-z.-]+)`<br>`(PORCUPINE_[A-Z_]+)` \\|", Pattern.MULTILINE);

    @Test
    void every_setting_is_documented_and_every_documented_setting_exists() throws IOException {
        Set<String> documented = new TreeSet<>();
        Matcher row = ROW.matcher(Files.readString(PAGE));
        while (row.find()) {
            documented.add(row.group(1));
            assertThat(row.group(2))
                    .isEqualTo(row.group(1)
                            .toUpperCase(Locale.ROOT)
                            .replace('.', '_')
                            .replace('-', '_'));
        }
        assertThat(documented).isEqualTo(UnknownSettings.known());
    }
}
