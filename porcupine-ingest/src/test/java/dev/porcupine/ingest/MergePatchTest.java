package dev.porcupine.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.porcupine.schema.ProblemException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** RFC 7396, and what it leaves alone. */
class MergePatchTest {

    private static final JsonMapper JSON = JsonMapper.shared();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // the RFC's own cases that begin with two objects
                "{\"a\":\"b\"} | {\"a\":\"c\"} | {\"a\":\"c\"}",
                "{\"a\":\"b\"} | {\"b\":\"c\"} | {\"a\":\"b\",\"b\":\"c\"}",
                "{\"a\":\"b\"} | {\"a\":null} | {}",
                "{\"a\":\"b\",\"b\":\"c\"} | {\"a\":null} | {\"b\":\"c\"}",
                "{\"a\":[\"b\"]} | {\"a\":\"c\"} | {\"a\":\"c\"}",
                "{\"a\":\"c\"} | {\"a\":[\"b\"]} | {\"a\":[\"b\"]}",
                "{\"a\":{\"b\":\"c\"}} | {\"a\":{\"b\":\"d\",\"c\":null}} | {\"a\":{\"b\":\"d\"}}",
                "{\"a\":[{\"b\":\"c\"}]} | {\"a\":[1]} | {\"a\":[1]}",
                "{\"e\":null} | {\"a\":1} | {\"e\":null,\"a\":1}",
                "{} | {\"a\":{\"bb\":{\"ccc\":null}}} | {\"a\":{\"bb\":{}}}",
                // text, order and repetitions of what is not touched
                "{\"p\":1.50, \"q\" : 1e400,\"p\":-0.0} | {\"x\":0} | {\"p\":1.50,\"q\" : 1e400,\"p\":-0.0,\"x\":0}",
                "{\"p\":1,\"q\":2,\"p\":3} | {\"p\":4} | {\"q\":2,\"p\":4}",
                "{\"p\":1,\"q\":2,\"p\":3} | {\"p\":null} | {\"q\":2}",
                "{\"p\":1,\"p\":{\"a\":1}} | {\"p\":{\"b\":2}} | {\"p\":{\"a\":1,\"b\":2}}",
                "{\"\\u0061\":1,\"b\":2} | {\"a\":3} | {\"\\u0061\":3,\"b\":2}",
                "{\"deep\":{\"x\":[1,2 ,3],\"y\":{\"z\":0.10}}} | {\"deep\":{\"y\":{\"w\":1.0}}}"
                        + " | {\"deep\":{\"x\":[1,2 ,3],\"y\":{\"z\":0.10,\"w\":1.0}}}",
                "{\"a\":1} | {\"a\":[null,{\"n\":null}]} | {\"a\":[null,{\"n\":null}]}",
                "{\"a\":1} | {\"a\":{\"n\":null,\"m\":{\"k\":null,\"l\":2}}} | {\"a\":{\"m\":{\"l\":2}}}",
                "{\"a\":1} | {} | {\"a\":1}"
            })
    void merge(String target, String patch, String result) {
        assertThat(merged(target, patch)).isEqualTo(result);
    }

    @Test
    void a_name_twice_in_one_object_of_the_patch_is_refused() {
        assertThatThrownBy(() -> merged("{}", "{\"a\":{\"b\":1,\"\\u0062\":2}}"))
                .isInstanceOf(ProblemException.class);
    }

    @Test
    void random_merges_say_what_a_tree_says() {
        long seed = Long.getLong("porcupine.test.seed", 20_261_201L);
        Random random = new Random(seed);
        for (int i = 0; i < 5_000; i++) {
            JsonNode target = object(random, 3);
            JsonNode patch = object(random, 3);
            assertThat(JSON.readTree(merged(target.toString(), patch.toString())))
                    .as("seed %d, %s by %s", seed, target, patch)
                    .isEqualTo(tree(target, patch));
        }
    }

    private static JsonNode tree(JsonNode target, JsonNode patch) {
        if (!patch.isObject()) {
            return patch;
        }
        ObjectNode result = target.isObject() ? (ObjectNode) target.deepCopy() : JSON.createObjectNode();
        patch.properties().forEach(change -> {
            if (change.getValue().isNull()) {
                result.remove(change.getKey());
            } else {
                result.set(change.getKey(), tree(result.path(change.getKey()), change.getValue()));
            }
        });
        return result;
    }

    private static ObjectNode object(Random random, int depth) {
        ObjectNode object = JSON.createObjectNode();
        for (int i = random.nextInt(4); i > 0; i--) {
            String name = "abc é\"".substring(random.nextInt(4)).substring(0, 1);
            switch (random.nextInt(depth == 0 ? 3 : 5)) {
                case 0 -> object.putNull(name);
                case 1 -> object.put(name, random.nextInt(3));
                case 2 -> object.putArray(name).add(random.nextInt(3)).addNull();
                default -> object.set(name, object(random, depth - 1));
            }
        }
        return object;
    }

    private static String merged(String target, String patch) {
        return new String(
                new MergePatch(128)
                        .merge(
                                target.getBytes(StandardCharsets.UTF_8),
                                Slice.of(patch.getBytes(StandardCharsets.UTF_8))),
                StandardCharsets.UTF_8);
    }
}
