package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The codes and their page are a pair. */
class FindingCodeTest {

    private static final Path PAGE = Path.of("../docs/reference/findings.md");

    @Test
    void every_code_has_its_section_and_every_section_its_code() throws IOException {
        List<String> sections = Files.readAllLines(PAGE).stream()
                .filter(line -> line.startsWith("### "))
                .map(line -> line.substring(4))
                .toList();
        assertThat(sections)
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(FindingCode.values())
                        .map(FindingCode::code)
                        .toList());
    }

    @Test
    void a_section_says_whether_its_code_only_warns() throws IOException {
        String page = Files.readString(PAGE);
        for (FindingCode code : FindingCode.values()) {
            int start = page.indexOf("### " + code.code() + "\n");
            String section = page.substring(start + code.code().length() + 5).strip();
            assertThat(section.startsWith("*Warning.*")).as(code.code()).isEqualTo(code.warns());
        }
    }
}
