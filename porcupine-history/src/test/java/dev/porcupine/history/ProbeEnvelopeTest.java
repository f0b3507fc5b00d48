package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProbeEnvelopeTest {

    private static final EventUuid A =
            EventUuid.parse("0190f000-0000-7000-8000-00000000000a").orElseThrow();
    private static final EventUuid B =
            EventUuid.parse("0190f000-0000-7000-8000-00000000000b").orElseThrow();
    private static final EventIdentity A_OF_7 = new EventIdentity(new ProjectId(7), A);
    private static final EventIdentity B_OF_7 = new EventIdentity(new ProjectId(7), B);

    private static final String META = """
            "meta":[{"name":"project_id","type":"UInt64"},{"name":"uuid","type":"UUID"}]""";
    private static final String STATISTICS = """
            "statistics":{"elapsed":0.01,"rows_read":8192,"bytes_read":196608}""";
    private static final String ROW_A = """
            ["7","0190f000-0000-7000-8000-00000000000a"]""";

    @Test
    void whole_answer_gives_the_known_identities_and_the_cost() throws Exception {
        ProbeEnvelope.Answer answer = read("{" + META + ",\"data\":[" + ROW_A + "],\"rows\":1," + STATISTICS + "}\n");
        assertThat(answer.known()).containsExactly(A_OF_7);
        assertThat(answer.cost()).isEqualTo(new ProbeCost(8192, 196608));
    }

    @Test
    void whole_answer_without_rows_proves_absence() throws Exception {
        assertThat(read("{" + META + ",\"data\":[],\"rows\":0," + STATISTICS + "}")
                        .known())
                .isEmpty();
    }

    @Test
    void every_cut_of_a_whole_answer_is_incomplete() {
        String whole = "{" + META + ",\"data\":[" + ROW_A + "],\"rows\":1," + STATISTICS + "}";
        for (int length = 0; length < whole.length(); length++) {
            String cut = whole.substring(0, length);
            assertThatThrownBy(() -> read(cut)).as(cut).isInstanceOf(ProbeEnvelope.IncompleteException.class);
        }
    }

    @Test
    void every_changed_byte_of_an_answer_never_hides_or_adds_an_identity() {
        byte[] whole = ("{" + META + ",\"data\":[" + ROW_A + "],\"rows\":1," + STATISTICS + "}")
                .getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < whole.length; i++) {
            byte[] changed = Arrays.copyOf(whole, whole.length);
            changed[i] ^= 0x15;
            try {
                assertThat(ProbeEnvelope.read(changed, Set.of(A_OF_7, B_OF_7)).known())
                        .as("byte %d", i)
                        .hasSize(1);
            } catch (ProbeEnvelope.IncompleteException expected) {
                assertThat(expected).hasMessageNotContaining("\n");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{}",
                "{META,\"rows\":0,STATS}",
                "{META,\"data\":[],STATS}",
                "{META,\"data\":[],\"rows\":0}",
                "{\"data\":[],\"rows\":0,STATS}",
                "{\"data\":[],META,\"rows\":0,STATS}",
                "{META,\"data\":[],\"rows\":1,STATS}",
                "{META,\"data\":[ROW],\"rows\":0,STATS}",
                "{META,\"data\":[ROW,ROW],\"rows\":2,STATS}",
                "{META,\"data\":[],\"data\":[],\"rows\":0,STATS}",
                "{META,\"data\":[],\"rows\":0,STATS}{}",
                "{META,\"data\":[],\"rows\":0,STATS} Code: 241. DB::Exception",
                "{META,\"data\":[],\"rows\":0,STATS,\"exception\":\"Code: 159\"}",
                "{META,\"data\":[[\"7\",\"0190f000-0000-7000-8000-00000000000c\"]],\"rows\":1,STATS}",
                "{META,\"data\":[[\"8\",\"0190f000-0000-7000-8000-00000000000a\"]],\"rows\":1,STATS}",
                "{META,\"data\":[[\"0\",\"0190f000-0000-7000-8000-00000000000a\"]],\"rows\":1,STATS}",
                "{META,\"data\":[[7,\"0190f000-0000-7000-8000-00000000000a\"]],\"rows\":1,STATS}",
                "{META,\"data\":[[\"7\"]],\"rows\":1,STATS}",
                "{META,\"data\":[[\"7\",\"0190f000-0000-7000-8000-00000000000a\",1]],\"rows\":1,STATS}",
                "{META,\"data\":[],\"rows\":-1,STATS}",
                "{META,\"data\":{},\"rows\":0,STATS}",
                "{\"meta\":[{\"name\":\"uuid\",\"type\":\"UUID\"},{\"name\":\"project_id\",\"type\":\"UInt64\"}],\"data\":[],\"rows\":0,STATS}",
                "{\"meta\":[{\"name\":\"project_id\",\"type\":\"UInt64\"}],\"data\":[],\"rows\":0,STATS}",
                "{\"meta\":[{},{}],\"data\":[],\"rows\":0,STATS}",
                "<html><body>It works!</body></html>",
            })
    void anything_but_the_whole_answer_is_incomplete(String template) {
        String body =
                template.replace("META", META).replace("STATS", STATISTICS).replace("ROW", ROW_A);
        assertThatThrownBy(() -> read(body)).isInstanceOf(ProbeEnvelope.IncompleteException.class);
    }

    private static ProbeEnvelope.Answer read(String body) throws ProbeEnvelope.IncompleteException {
        return ProbeEnvelope.read(body.getBytes(StandardCharsets.UTF_8), Set.of(A_OF_7, B_OF_7));
    }
}
