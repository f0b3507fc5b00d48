package dev.porcupine.ingest;

import static dev.porcupine.ingest.CaptureFixture.gzip;
import static dev.porcupine.ingest.CaptureFixture.ok;
import static dev.porcupine.ingest.CaptureFixture.text;
import static dev.porcupine.ingest.CaptureFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.Problem;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Bodies as each SDK sends them. */
class EncodingsTest {

    private static final String FORM = "application/x-www-form-urlencoded";
    private static final String ENVELOPE =
            "{\"api_key\":\"phc_demo\",\"historical_migration\":false,\"batch\":[{\"event\":\"signup\","
                    + "\"distinct_id\":\"u1\",\"uuid\":\"0190f000-0000-7000-8000-00000000abcd\",\"type\":\"capture\","
                    + "\"library\":\"posthog-node\",\"timestamp\":\"2026-11-30T10:00:00.000Z\","
                    + "\"properties\":{\"plan\":\"pro\"}}],\"sent_at\":\"2026-11-30T10:00:00.000Z\"}";
    private static final String ARRAY =
            "[{\"event\":\"$pageview\",\"uuid\":\"0190f000-0000-7000-8000-00000000abce\",\"offset\":3000,"
                    + "\"properties\":{\"token\":\"phc_demo\",\"distinct_id\":\"anon-1\"}}]";
    private static final String SINGLE =
            "{\"api_key\":\"phc_demo\",\"event\":\"x\",\"distinct_id\":\"u1\",\"properties\":{}}";

    private final CaptureFixture capture = new CaptureFixture();

    private void isStored(byte[] body, @Nullable String query, @Nullable String type, @Nullable String encoding) {
        capture.door.clear();
        assertThat(capture.send(body, query, type, encoding).body()).isEqualTo(ok(1, 0, 0));
    }

    @Test
    void posthog_node() {
        isStored(gzip(utf8(ENVELOPE)), null, "application/json", "gzip");
        assertThat(capture.events().getFirst()).satisfies(event -> {
            assertThat(event.name()).isEqualTo("signup");
            assertThat(event.distinctId()).isEqualTo("u1");
            assertThat(text(event)).isEqualTo("{\"plan\":\"pro\"}");
        });
    }

    @Test
    void mobile_and_java_servers() {
        isStored(gzip(utf8(ENVELOPE)), null, "application/json; charset=utf-8", "gzip");
    }

    @Test
    void posthog_python_and_php() {
        isStored(utf8(ENVELOPE), null, "application/json", null);
    }

    @Test
    void posthog_go_with_both_hints() {
        isStored(gzip(utf8(ENVELOPE)), "compression=gzip", "application/json", "gzip");
    }

    @Test
    void posthog_js_without_a_hint() {
        isStored(gzip(utf8(ENVELOPE)), "_=1796032800000&ver=1.449.2", "text/plain", null);
    }

    @Test
    void posthog_js_with_a_parameter() {
        isStored(gzip(utf8(ARRAY)), "compression=gzip-js&retry_count=2", "text/plain", null);
        isStored(gzip(utf8(ARRAY)), "compression=GZIP-JS", null, null);
    }

    @Test
    void posthog_js_before_its_configuration() {
        isStored(utf8(ARRAY), null, "application/json", null);
        isStored(utf8(ARRAY.substring(1, ARRAY.length() - 1)), null, "application/json", null);
    }

    @Test
    void posthog_js_beacon() {
        String base64 = Base64.getEncoder().encodeToString(utf8(ARRAY));
        isStored(utf8("data=" + URLEncoder.encode(base64, StandardCharsets.UTF_8)), "compression=base64", FORM, null);
        assertThat(capture.send(utf8("data=" + base64), "compression=base64&beacon=1", FORM, null))
                .isEqualTo(HttpAnswer.noContent());
    }

    @Test
    void posthog_lite_with_lz_string_in_a_form() {
        String lz =
                "NobwRApgbhB2AuYBcYAkAHAhgc2gSwgHcwAaMAV3LwBNkwAGARgE56AzezgWk+4HZeXAByDeY+pgBGAYwikw6AE4B7dBEXwCAZ2Th4"
                        + "ygNZw66ABbSA+tQgBbZfOp4tm2NPgWadTLGWwujMABfQIBdIA=";
        String data = URLEncoder.encode(lz, StandardCharsets.UTF_8);
        isStored(utf8("data=" + data + "&compression=lz64"), null, FORM, null);
        assertThat(capture.events()).extracting(Event::name).containsExactly("$pageview");
        isStored(utf8("compression=lz64&data=" + lz), null, FORM, null);
        isStored(utf8(lz), "compression=lz64", "text/plain", null);
        isStored(new byte[0], "compression=lz-string&data=" + data, null, null);
    }

    @Test
    void a_payload_in_the_query() {
        String base64 = Base64.getEncoder().encodeToString(utf8(SINGLE));
        isStored(new byte[0], "data=" + URLEncoder.encode(base64, StandardCharsets.UTF_8), null, null);
        isStored(new byte[0], "data=" + base64, null, null);
        isStored(new byte[0], "data=" + URLEncoder.encode(SINGLE, StandardCharsets.UTF_8), null, null);
        isStored(utf8("ignored"), "data=" + base64, null, null);
        isStored(utf8(SINGLE), "data=", null, null);
    }

    @Test
    void curl_calls_json_a_form() {
        isStored(utf8(SINGLE), null, FORM, null);
        isStored(utf8("  " + SINGLE + "\n"), null, FORM, null);
    }

    @Test
    void base64_alone_and_twice() {
        byte[] once = Base64.getEncoder().encode(utf8(SINGLE));
        isStored(once, null, "text/plain", null);
        isStored(Base64.getEncoder().encode(once), null, "text/plain", null);
        isStored(Base64.getEncoder().encode(gzip(utf8(SINGLE))), "compression=gzip-js", "text/plain", null);
        isStored(gzip(once), null, "text/plain", null);
    }

    @Test
    void what_is_none_of_these_is_refused() {
        assertThat(capture.send(utf8("x=1&y=2"), null, FORM, null).problem()).isEqualTo(Problem.BODY_UNREADABLE);
        assertThat(capture.send(utf8("data="), null, FORM, null).problem()).isEqualTo(Problem.BATCH_EMPTY);
        assertThat(capture.send(utf8("hello world"), null, "text/plain", null).problem())
                .isEqualTo(Problem.BODY_UNREADABLE);
        assertThat(capture.send(utf8("hello!"), "compression=lz64", "text/plain", null)
                        .problem())
                .isEqualTo(Problem.BODY_UNREADABLE);
        assertThat(capture.send(utf8("A".repeat(130) + "!!"), null, "text/plain", null)
                        .problem())
                .isEqualTo(Problem.BODY_UNREADABLE);
    }

    @Test
    void an_envelope_without_a_token_takes_that_of_its_events() {
        isStored(utf8("{\"batch\":" + ARRAY + "}"), null, null, null);
    }

    @Test
    void what_stands_beside_the_properties_is_carried_into_them() {
        assertThat(text(capture.stored("\"event\":\"$identify\",\"distinct_id\":\"u\",\"$set\":{\"a\": 1.0},"
                        + "\"$set_once\":{\"b\":2},\"properties\":{\"c\":3 }")))
                .isEqualTo("{\"c\":3 ,\"$set\":{\"a\": 1.0},\"$set_once\":{\"b\":2}}");
        assertThat(text(capture.stored("\"event\":\"x\",\"distinct_id\":\"u\",\"$set_once\":{}")))
                .isEqualTo("{\"$set_once\":{}}");
        assertThat(text(capture.stored("\"event\":\"x\",\"distinct_id\":\"u\",\"$set\":{},\"properties\":{ }")))
                .isEqualTo("{ \"$set\":{}}");
        assertThat(
                        text(
                                capture.stored(
                                        "\"event\":\"x\",\"distinct_id\":\"u\",\"$set\":{\"a\":1},\"properties\":{\"$set\":{\"b\":2}}")))
                .isEqualTo("{\"$set\":{\"b\":2}}");
        assertThat(text(capture.stored("\"event\":\"x\",\"distinct_id\":\"u\",\"$set\":null,\"$set_once\":null")))
                .isEqualTo("{}");
        assertThat(capture.rejection("\"event\":\"x\",\"distinct_id\":\"u\",\"$set\":[]"))
                .isEqualTo("set_invalid");
    }

    @Test
    void engage_sets_a_person() {
        assertThat(capture.engage("{\"api_key\":\"phc_demo\",\"$distinct_id\":\"u\",\"$set\":{\"a\":1}}")
                        .body())
                .isEqualTo(ok(1, 0, 0));
        assertThat(capture.events().getFirst().name()).isEqualTo("$identify");
    }

    @Test
    void performance_events_are_dropped_silently() {
        String event = "{\"event\":\"$performance_event\",\"distinct_id\":\"u\"}";
        assertThat(capture.post("{\"api_key\":\"phc_demo\",\"batch\":[" + event + "," + event + "]}")
                        .body())
                .isEqualTo(ok(0, 0, 0));
        assertThat(capture.counted("filtered")).isEqualTo(2);
    }
}
