package dev.porcupine.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LzStringTest {

    private final BodyBudget budget = new BodyBudget(1 << 24);

    private String decompress(String base64, int bytesMax) {
        try (BodyBudget.Charge charge = budget.open()) {
            Slice text = Slice.of(base64.getBytes(StandardCharsets.US_ASCII));
            charge.take(text.length());
            LayerBudget layers = new LayerBudget(bytesMax, charge);
            Slice out = LzString.decompress(Base64Text.decode(text, true, layers), layers);
            return new String(out.bytes(), out.from(), out.length(), StandardCharsets.UTF_8);
        } finally {
            assertThat(budget.bytesInUse()).isZero();
        }
    }

    /** The vectors were written by lz-string 1.5.0's compressToBase64. */
    @Test
    void what_lz_string_wrote_is_read() throws IOException {
        int vectors = 0;
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(getClass().getResourceAsStream("/lz-string-vectors.tsv")),
                StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int tab = line.indexOf('\t');
                byte[] quoted = line.substring(0, tab).getBytes(StandardCharsets.UTF_8);
                String expected = JsonText.decode(quoted, 0, quoted.length, true);
                assertThat(decompress(line.substring(tab + 1), 1 << 20)).isEqualTo(expected);
                vectors++;
            }
        }
        assertThat(vectors).isEqualTo(60);
    }

    @Test
    void the_shortest_texts_are_read() {
        assertThat(decompress("Q===", 100)).isEmpty();
        assertThat(decompress("IZA=", 100)).isEqualTo("a");
        assertThat(decompress("IYIyA===", 100)).isEqualTo("ab");
        assertThat(decompress("IYIwxgJkA===", 100)).isEqualTo("abcd");
        assertThat(decompress("N4IglyBcKKemg05oPKiAEheDcAB7IC+Q", 100))
                .isEqualTo("{\"\u00e9\":\"\u65e5\u672c\u8a9e \ud83d\ude00\"}");
        assertThat(decompress("N4IgNg9gdgpiBcJAAGyAvkA=", 100)).isEqualTo("{\"lone\":\"\ufffd\"}");
    }

    @Test
    void every_truncation_is_noticed() {
        String whole = "N4IgNg9gdgpiBcJAAGyAvkA=";
        for (int length = 4; length < whole.length() - 4; length += 4) {
            String cut = whole.substring(0, length);
            assertThatExceptionOfType(ProblemException.class)
                    .isThrownBy(() -> decompress(cut, 1 << 20))
                    .matches(e -> e.problem() == Problem.BODY_UNREADABLE);
        }
    }

    @Test
    void a_bomb_stops_at_the_limit() {
        // "a", then ever the code that names the entry about to be made: each entry is one longer than the last.
        StringBuilder bits = new StringBuilder("00" + "10000110");
        int code = 4;
        int width = 3;
        int room = 4;
        for (int i = 0; i < 20_000; i++) {
            for (int b = 0; b < width; b++) {
                bits.append(code >> b & 1);
            }
            code++;
            if (--room == 0) {
                room = 1 << width;
                width++;
            }
        }
        byte[] bytes = new byte[bits.length() / 8];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Integer.parseInt(bits.substring(8 * i, 8 * i + 8), 2);
        }
        try (BodyBudget.Charge charge = budget.open()) {
            charge.take(bytes.length);
            assertThatExceptionOfType(ProblemException.class)
                    .isThrownBy(() -> LzString.decompress(Slice.of(bytes), new LayerBudget(1 << 20, charge)))
                    .matches(e -> e.problem() == Problem.BODY_TOO_LARGE);
        }
    }
}
