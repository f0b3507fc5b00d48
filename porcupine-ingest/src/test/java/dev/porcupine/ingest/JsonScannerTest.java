package dev.porcupine.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.ProblemException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/** The scanner against Jackson: what the one takes for JSON the other must take, and what they read must be the same. */
class JsonScannerTest {

    private static final JsonFactory JACKSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(10_000)
                    .maxNumberLength(1_000_000)
                    .build())
            .build();
    private static final List<String> SEEDS = List.of(
            "{\"event\":\"a\",\"n\":[1,-2.5e+10,0,-0,1E5],\"t\":true,\"f\":false,\"z\":null,\"s\":\"\\u00e9\\n\\\"\"}",
            "[[],{},[[]],[{}],{\"a\":{}},\"\",\"\\\\\"]",
            "[\"\\ud83d\\ude00\",\"\u00e9\u65e5\ud83d\ude00\", 1 , 2\n,\t3\r]",
            "  {\"a\" : {\"b\" : [ ] , \"c\":{ }}}  ");

    private static boolean scans(byte[] bytes) {
        Slice text = Slice.of(bytes);
        if (!Utf8.isValid(text)) {
            return false;
        }
        JsonScanner json = new JsonScanner(text, 128);
        try {
            json.value(0);
            json.finish();
            return true;
        } catch (ProblemException e) {
            return false;
        }
    }

    private static boolean jacksonReads(byte[] bytes) {
        try {
            // Jackson guesses encodings and passes surrogates in three bytes; both are decided before the scanner's
            // turn.
            if (!Utf8.isValid(Slice.of(bytes))) {
                return false;
            }
            try (JsonParser parser =
                    JACKSON.createParser(ObjectReadContext.empty(), new String(bytes, StandardCharsets.UTF_8))) {
                if (parser.nextToken() == null) {
                    return false;
                }
                parser.skipChildren();
                parser.finishToken();
                return parser.nextToken() == null;
            }
        } catch (JacksonException e) {
            return false;
        }
    }

    @Test
    void documents_that_are_json_and_documents_that_are_not() {
        for (String good : List.of("1", "\"\"", "null", "true", "false", "-0.1e-1", "{}", "[]", "[0]", " [ ] ")) {
            assertThat(scans(good.getBytes(StandardCharsets.UTF_8))).as(good).isTrue();
        }
        for (String bad : List.of(
                "",
                " ",
                "{",
                "}",
                "[",
                "]",
                "[}",
                "{]",
                "[1,]",
                "[,1]",
                "[1 2]",
                "{\"a\"}",
                "{\"a\":}",
                "{\"a\":1,}",
                "{a:1}",
                "{'a':1}",
                "{1:1}",
                "01",
                "-",
                "+1",
                "1.",
                ".5",
                "1e",
                "1e+",
                "NaN",
                "Infinity",
                "tru",
                "nul",
                "True",
                "\"",
                "\"\\\"",
                "\"\\x\"",
                "\"\\u12\"",
                "\"\\u12g4\"",
                "\"\n\"",
                "\"\0\"",
                "[1]]",
                "// c\n1",
                "/**/1",
                "\"a\"\"b\"",
                "{\"a\":1}}",
                "{,}",
                "{\"a\":1 \"b\":2}",
                "\u00a0[]",
                "[\f]",
                "0x10",
                "1_000")) {
            assertThat(scans(bad.getBytes(StandardCharsets.UTF_8))).as(bad).isFalse();
        }
    }

    @Test
    void the_scanner_and_jackson_agree_on_mutated_documents() {
        long seed = Long.getLong("porcupine.test.seed", 20_261_130L);
        Random random = new Random(seed);
        int valid = 0;
        for (int i = 0; i < 100_000; i++) {
            byte[] document =
                    Mutation.of(SEEDS.get(random.nextInt(SEEDS.size())).getBytes(StandardCharsets.UTF_8), random);
            boolean expected = jacksonReads(document);
            if (scans(document.clone()) != expected) {
                assertThat(scans(document.clone()))
                        .as("seed %d, round %d: %s", seed, i, new String(document, StandardCharsets.UTF_8))
                        .isEqualTo(expected);
            }
            valid += expected ? 1 : 0;
        }
        assertThat(valid).as("documents that stayed valid").isGreaterThan(5_000);
    }

    @Test
    void strings_say_what_jackson_says_they_say() {
        Random random = new Random(7);
        String alphabet = "a\u00e9\u65e5\u0000\u001f\"\\/\b\f\n\r\t\u007f ";
        for (int i = 0; i < 20_000; i++) {
            StringBuilder json = new StringBuilder("\"");
            for (int j = random.nextInt(12); j > 0; j--) {
                char c = alphabet.charAt(random.nextInt(alphabet.length()));
                int form = random.nextInt(4);
                if (form == 0) {
                    json.append(String.format("\\u%04X", (int) c));
                } else if (form == 1) {
                    json.append("\\ud83d\\uDE00");
                } else if (form == 2) {
                    json.append("\\").append("\"\\/bfnrt".charAt(random.nextInt(8)));
                } else if (c >= ' ' && c != '"' && c != '\\') {
                    json.append(c);
                }
            }
            byte[] bytes = json.append('"').toString().getBytes(StandardCharsets.UTF_8);
            JsonScanner scanner = new JsonScanner(Slice.of(bytes), 128);
            scanner.value(0);
            try (JsonParser parser = JACKSON.createParser(ObjectReadContext.empty(), bytes)) {
                parser.nextToken();
                assertThat(JsonText.decode(bytes, scanner.from(), scanner.to(), scanner.escaped()))
                        .isEqualTo(parser.getString());
            }
        }
    }

    @Test
    void a_deep_value_is_passed_without_recursion() {
        byte[] deep = ("[".repeat(5_000_000) + "]".repeat(5_000_000)).getBytes(StandardCharsets.UTF_8);
        JsonScanner json = new JsonScanner(Slice.of(deep), 128);
        json.value(0);
        json.finish();
        assertThat(json.takeTooDeep()).isTrue();
        assertThat(json.takeTooDeep()).isFalse();
    }

    @Test
    void strict_utf_8_is_what_the_jdk_decodes_without_malformed_input() {
        Random random = new Random(11);
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes = new byte[random.nextInt(12)];
            random.nextBytes(bytes);
            if (random.nextBoolean()) {
                byte[] character = Character.toString(random.nextInt(0x110000)).getBytes(StandardCharsets.UTF_8);
                System.arraycopy(character, 0, bytes, 0, Math.min(character.length, bytes.length));
            }
            boolean bom =
                    bytes.length >= 3 && bytes[0] == (byte) 0xEF && bytes[1] == (byte) 0xBB && bytes[2] == (byte) 0xBF;
            boolean valid = !bom && decodes(bytes);
            assertThat(Utf8.isValid(Slice.of(bytes))).isEqualTo(valid);
        }
    }

    private static boolean decodes(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}
