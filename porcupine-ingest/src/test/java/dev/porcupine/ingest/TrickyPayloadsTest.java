package dev.porcupine.ingest;

import static dev.porcupine.ingest.CaptureFixture.OTHER_PROJECT;
import static dev.porcupine.ingest.CaptureFixture.PROJECT;
import static dev.porcupine.ingest.CaptureFixture.gzip;
import static dev.porcupine.ingest.CaptureFixture.join;
import static dev.porcupine.ingest.CaptureFixture.ok;
import static dev.porcupine.ingest.CaptureFixture.text;
import static dev.porcupine.ingest.CaptureFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.Problem;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The payloads that clients send or could send and that servers get wrong, numbered as in the wire-format study. */
class TrickyPayloadsTest {

    private static final String UUID = "0190f000-0000-7000-8000-00000000abcd";

    private final CaptureFixture capture = new CaptureFixture();

    private static String envelope(String... events) {
        return "{\"api_key\":\"phc_demo\",\"batch\":[" + String.join(",", events) + "]}";
    }

    private static String event(String uuid, String name) {
        return "{\"event\":\"" + name + "\",\"distinct_id\":\"u1\",\"uuid\":\"" + uuid + "\"}";
    }

    private static String valid(int i) {
        return event(String.format("0190f000-0000-7000-8000-%012x", i + 1), "e");
    }

    @Test
    void case_01_the_same_event_twice_in_a_batch_is_stored_once() {
        assertThat(capture.post(envelope(event(UUID, "a"), event(UUID, "a"))).body())
                .isEqualTo(ok(1, 1, 0));
        assertThat(capture.record.conflicts().list(PROJECT)).isEmpty();
    }

    @Test
    void case_02_of_two_events_with_one_uuid_the_first_wins_and_the_conflict_is_counted() {
        assertThat(capture.post(envelope(event(UUID, "a"), event(UUID, "b"))).body())
                .isEqualTo(ok(1, 1, 0));
        assertThat(capture.events()).extracting(Event::name).containsExactly("a");
        assertThat(capture.record.conflicts().list(PROJECT))
                .extracting(Conflict::uuid, Conflict::event)
                .containsExactly(tuple(UUID, "b"));
        capture.post(envelope(event(UUID, "c")));
        assertThat(capture.registry.get("porcupine.capture.conflicts").counter().count())
                .isEqualTo(2);
    }

    @Test
    void case_03_all_spellings_of_a_uuid_are_one_value() {
        String hex = UUID.replace("-", "");
        assertThat(capture.post(envelope(
                                event(UUID, "a"),
                                event(UUID.toUpperCase(Locale.ROOT), "a"),
                                event(hex, "a"),
                                event("{" + UUID + "}", "a"),
                                event("urn:uuid:" + UUID, "a")))
                        .body())
                .isEqualTo(ok(1, 4, 0));
        assertThat(capture.post(envelope(event(hex, "a"))).body()).isEqualTo(ok(0, 1, 0));
    }

    @Test
    void case_04_what_only_looks_like_a_uuid_is_rejected() {
        for (String bad : List.of(
                "1-1-1-1-1",
                "0190f000-0000-7000-8000-+0000000abcd",
                "\uff10190f000-0000-7000-8000-00000000abcd",
                UUID + "0",
                " " + UUID,
                "not-a-uuid")) {
            assertThat(capture.rejection("\"event\":\"x\",\"distinct_id\":\"u\",\"uuid\":\"" + bad + "\""))
                    .isEqualTo("uuid_invalid");
        }
    }

    @Test
    void case_05_nil_and_max_are_invalid_and_every_version_is_valid() {
        assertThat(capture.post(envelope(
                                event("00000000-0000-0000-0000-000000000000", "nil"),
                                event("ffffffff-ffff-ffff-ffff-ffffffffffff", "max"),
                                event("0190f000-0000-0000-8000-00000000abcd", "version 0"),
                                event("0190f000-0000-9000-8000-00000000abcd", "version 9")))
                        .body())
                .isEqualTo(ok(2, 0, 2));
    }

    @Test
    void case_06_a_missing_uuid_is_minted_and_another_type_is_rejected() {
        String rest = "\"event\":\"x\",\"distinct_id\":\"u\"";
        assertThat(capture.post(envelope(
                                "{" + rest + "}",
                                "{" + rest + ",\"uuid\":\"\"}",
                                "{" + rest + ",\"uuid\":null}",
                                "{" + rest + ",\"uuid\":7}",
                                "{" + rest + ",\"uuid\":{}}"))
                        .body())
                .isEqualTo(ok(3, 0, 2));
        assertThat(capture.events())
                .extracting(event -> event.identity().uuid().toUuid().version())
                .containsExactly(7, 7, 7);
    }

    @Test
    void case_07_one_invalid_event_costs_only_itself() {
        List<String> events = new ArrayList<>();
        for (int i = 0; i < 99; i++) {
            events.add(valid(i));
        }
        events.add(42, "{\"event\":\"x\",\"distinct_id\":\"u\",\"uuid\":\"bad\"}");
        assertThat(capture.post(envelope(events.toArray(String[]::new))).body()).isEqualTo(ok(99, 0, 1));
        assertThat(capture.record.rejections().list(PROJECT)).singleElement().satisfies(rejection -> {
            assertThat(rejection.index()).isEqualTo(42);
            assertThat(rejection.reason()).isEqualTo("uuid_invalid");
            assertThat(rejection.sample()).isEqualTo("{\"event\":\"x\",\"distinct_id\":\"u\",\"uuid\":\"bad\"}");
            assertThat(rejection.rejectedAt()).isEqualTo(CaptureFixture.NOW);
        });
    }

    @Test
    void case_08_odd_timestamps_are_accepted_and_the_text_is_kept_where_it_was_not_followed() {
        String rest = "\"event\":\"x\",\"distinct_id\":\"u\",\"timestamp\":";
        long now = CaptureFixture.NOW.getEpochSecond() * 1_000_000;
        Event numeric = capture.stored(rest + "1796032800");
        assertThat(numeric.timestampMicros()).isEqualTo(1_796_032_800_000_000L);
        assertThat(text(numeric)).isEqualTo("{\"$raw_timestamp\":1796032800}");
        assertThat(capture.stored(rest + "1796032800123").timestampMicros()).isEqualTo(1_796_032_800_123_000L);
        Event words = capture.stored(rest + "\"not a date\"");
        assertThat(words.timestampMicros()).isEqualTo(now);
        assertThat(text(words)).isEqualTo("{\"$raw_timestamp\":\"not a date\"}");
        assertThat(capture.stored(rest + "\"12000-01-01T00:00:00Z\"").timestampMicros())
                .isZero();
        assertThat(capture.stored(rest + "\"-0005-01-01T00:00:00Z\"").timestampMicros())
                .isZero();
        assertThat(capture.stored(rest + "\"2026-12-01T10:00:00Z\"").timestampMicros())
                .as("24 hours ahead")
                .isEqualTo(now);
        Event ahead = capture.stored(rest + "\"2026-12-01T08:00:00Z\"");
        assertThat(ahead.timestampMicros()).as("22 hours ahead").isEqualTo(now + 22L * 3600 * 1_000_000);
        assertThat(text(ahead)).isEqualTo("{}");
        assertThat(capture.stored(rest + "\"2026-11-30 10:00\"").timestampMicros())
                .isEqualTo(now);
        assertThat(capture.stored(rest + "\"2026-11-30T13:00:00+03\"").timestampMicros())
                .isEqualTo(now);
    }

    @Test
    void case_09_an_offset_wins_over_a_timestamp_and_must_be_a_whole_number() {
        String rest = "\"event\":\"x\",\"distinct_id\":\"u\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"offset\":";
        long now = CaptureFixture.NOW.getEpochSecond() * 1_000_000;
        assertThat(capture.stored(rest + "3000").timestampMicros()).isEqualTo(now - 3_000_000);
        assertThat(capture.stored(rest + "-3000").timestampMicros()).isEqualTo(now + 3_000_000);
        for (String bad : List.of("3000.5", "\"3000\"", "3e3", "true", "99999999999999999999999")) {
            assertThat(capture.rejection(rest + bad)).isEqualTo("offset_invalid");
        }
    }

    @Test
    void case_10_distinct_ids_of_every_type() {
        for (String bad : List.of("null", "\"\"", "\"  \\t\"", "\"\u00a0\"")) {
            assertThat(capture.rejection("\"event\":\"x\",\"distinct_id\":" + bad))
                    .isEqualTo("distinct_id_missing");
        }
        assertThat(distinctId("23")).isEqualTo("23");
        assertThat(distinctId("{\"a\":1}")).isEqualTo("{\"a\":1}");
        assertThat(distinctId("true")).isEqualTo("true");
        assertThat(distinctId("\" padded \"")).isEqualTo(" padded ");
        assertThat(distinctId("\"" + "x".repeat(250) + "\"")).isEqualTo("x".repeat(200));
        assertThat(distinctId("\"" + "\ud83d\ude00".repeat(200) + "\"")).isEqualTo("\ud83d\ude00".repeat(200));
        assertThat(distinctId("\"" + "\ud83d\ude00".repeat(201) + "\"")).isEqualTo("\ud83d\ude00".repeat(200));
        assertThat(distinctId("\"a\\u0000b\"")).isEqualTo("a\ufffdb");
        assertThat(capture.stored("\"event\":\"x\",\"$distinct_id\":\"d\"").distinctId())
                .isEqualTo("d");
        assertThat(capture.stored("\"event\":\"x\",\"distinct_id\":null,\"properties\":{\"distinct_id\":\"p\"}")
                        .distinctId())
                .isEqualTo("p");
        assertThat(capture.rejection("\"event\":\"x\",\"distinct_id\":\"\",\"properties\":{\"distinct_id\":\"p\"}"))
                .isEqualTo("distinct_id_missing");
    }

    private String distinctId(String json) {
        return capture.stored("\"event\":\"x\",\"distinct_id\":" + json).distinctId();
    }

    @Test
    void case_11_an_event_needs_a_name_and_may_have_any() {
        assertThat(capture.rejection("\"event\":\"\",\"distinct_id\":\"u\"")).isEqualTo("name_missing");
        assertThat(capture.rejection("\"event\":null,\"distinct_id\":\"u\"")).isEqualTo("name_missing");
        assertThat(capture.rejection("\"distinct_id\":\"u\"")).isEqualTo("name_missing");
        assertThat(capture.rejection("\"event\":7,\"distinct_id\":\"u\"")).isEqualTo("name_invalid");
        String longName = "n".repeat(10_000);
        assertThat(capture.stored("\"event\":\"" + longName + "\",\"distinct_id\":\"u\"")
                        .name())
                .isEqualTo(longName);
        assertThat(capture.stored("\"event\":\"a\\nb\",\"distinct_id\":\"u\"").name())
                .isEqualTo("a\nb");
    }

    @Test
    void case_12_half_a_surrogate_pair_becomes_a_replacement_character() {
        assertThat(capture.storedProperties("{\"k\":\"a\\ud800b\"}")).isEqualTo("{\"k\":\"a\\ufffdb\"}");
        assertThat(capture.storedProperties("{\"k\":\"\\uDC00\\ud800\\ud83d\\ude00\"}"))
                .isEqualTo("{\"k\":\"\\ufffd\\ufffd\\ud83d\\ude00\"}");
        assertThat(capture.stored("\"event\":\"a\\ud800\",\"distinct_id\":\"\\udfffb\"")
                        .name())
                .isEqualTo("a\ufffd");
    }

    @Test
    void case_13_escaped_nul_is_kept() {
        assertThat(capture.storedProperties("{\"a\\u0000\":\"b\\u0000\"}")).isEqualTo("{\"a\\u0000\":\"b\\u0000\"}");
        assertThat(capture.stored("\"event\":\"a\\u0000b\",\"distinct_id\":\"u\"")
                        .name())
                .isEqualTo("a\0b");
    }

    @Test
    void case_14_numbers_keep_their_text() {
        String properties = "{\"a\":9007199254740993,\"b\":18446744073709551615,\"c\":123456789012345678901234567890,"
                + "\"d\":1e400,\"e\":-0,\"f\":1.0,\"g\":0.1000000000000000055,\"h\":1.50}";
        assertThat(capture.storedProperties(properties)).isEqualTo(properties);
    }

    @Test
    void case_15_deep_nesting_costs_only_the_event() {
        assertThat(nested(127)).isEqualTo(ok(2, 0, 0));
        assertThat(nested(128)).isEqualTo(ok(2, 0, 0));
        assertThat(nested(129)).isEqualTo(ok(1, 0, 1));
        assertThat(nested(1001)).isEqualTo(ok(1, 0, 1));
        assertThat(nested(100_000)).isEqualTo(ok(1, 0, 1));
        assertThat(capture.record.rejections().list(PROJECT).getFirst().reason())
                .isEqualTo("too_deep");
    }

    private String nested(int levels) {
        capture.door.clear();
        int arrays = levels - 2; // the event and its properties are levels too
        String deep = "{\"event\":\"x\",\"distinct_id\":\"u\",\"properties\":{\"a\":" + "[".repeat(arrays)
                + "]".repeat(arrays) + "}}";
        return capture.post(envelope(deep, valid(1))).body();
    }

    @Test
    void case_16_a_field_that_is_acted_on_may_stand_once_and_a_property_as_often_as_it_likes() {
        assertThat(capture.rejection("\"event\":\"x\",\"event\":\"y\",\"distinct_id\":\"u\""))
                .isEqualTo("field_repeated");
        assertThat(capture.rejection("\"event\":\"x\",\"\\u0065vent\":\"y\",\"distinct_id\":\"u\""))
                .isEqualTo("field_repeated");
        assertThat(capture.storedProperties("{\"a\":1,\"a\":2}")).isEqualTo("{\"a\":1,\"a\":2}");
        assertThat(capture.stored("\"event\":\"x\",\"properties\":{\"distinct_id\":\"a\",\"distinct_id\":\"b\"}")
                        .distinctId())
                .isEqualTo("b");
        assertThat(capture.post("{\"api_key\":\"phc_demo\",\"batch\":[" + valid(1) + "],\"batch\":[" + valid(2) + "]}")
                        .problem())
                .isEqualTo(Problem.BODY_UNREADABLE);
        assertThat(capture.post("{\"api_key\":\"phc_demo\",\"api_key\":\"phc_demo\",\"batch\":[" + valid(1) + "]}")
                        .problem())
                .isEqualTo(Problem.BODY_UNREADABLE);
    }

    @Test
    void case_17_token_and_api_key_must_agree() {
        assertThat(capture.post("{\"api_key\":\"phc_demo\",\"token\":\"phc_demo\",\"batch\":[" + valid(1) + "]}")
                        .status())
                .isEqualTo(200);
        assertThat(capture.post("{\"api_key\":\"phc_demo\",\"token\":\"phc_other\",\"batch\":[" + valid(2) + "]}")
                        .problem())
                .isEqualTo(Problem.TOKEN_INVALID);
        assertThat(capture.events()).hasSize(1);
    }

    @Test
    void case_18_no_event_reaches_a_project_that_is_not_its_own() {
        String mine = "{\"event\":\"x\",\"distinct_id\":\"u\",\"properties\":{\"token\":\"phc_demo\"}}";
        String foreign = "{\"event\":\"x\",\"distinct_id\":\"u\",\"token\":\"phc_other\"}";
        String invalidForeign = "{\"event\":\"\",\"properties\":{\"token\":\"phc_other\"}}";
        assertThat(capture.post("[" + mine + "," + foreign + "]").problem()).isEqualTo(Problem.TOKEN_INVALID);
        assertThat(capture.post("[" + mine + "," + invalidForeign + "]").problem())
                .isEqualTo(Problem.TOKEN_INVALID);
        assertThat(capture.events()).isEmpty();
        assertThat(capture.post(envelope(mine, foreign)).body()).isEqualTo(ok(2, 0, 0));
        assertThat(capture.events())
                .extracting(event -> event.identity().project())
                .containsOnly(PROJECT);
    }

    @Test
    void case_19_a_request_without_events_is_refused() {
        for (String empty : List.of("", " ", "{}", "[]", "{\"api_key\":\"k\",\"batch\":[]}")) {
            assertThat(capture.post(empty).problem()).as(empty).isEqualTo(Problem.BATCH_EMPTY);
        }
    }

    @Test
    void case_20_gzip_in_every_form() {
        byte[] plain = utf8(envelope(valid(1)));
        byte[] once = gzip(plain);
        assertThat(capture.send(once, null, "text/plain", null).body()).isEqualTo(ok(1, 0, 0));
        assertThat(capture.send(gzip(once), null, "text/plain", null).problem())
                .as("gzip in gzip")
                .isEqualTo(Problem.BODY_UNREADABLE);
        assertThat(capture.send(Base64.getEncoder().encode(once), null, "text/plain", null)
                        .status())
                .as("base64 of gzip")
                .isEqualTo(200);
        assertThat(capture.send(Arrays.copyOf(once, once.length - 9), null, "text/plain", null)
                        .problem())
                .as("truncated")
                .isEqualTo(Problem.BODY_UNREADABLE);
        byte[] halves = join(gzip(Arrays.copyOf(plain, 20)), gzip(Arrays.copyOfRange(plain, 20, plain.length)));
        assertThat(capture.send(halves, null, "text/plain", null).body())
                .as("two members that make one document")
                .isEqualTo(ok(0, 1, 0));
        assertThat(capture.send(join(once, once), null, "text/plain", null).problem())
                .as("two members that make two documents")
                .isEqualTo(Problem.BODY_UNREADABLE);
        assertThat(capture.send(join(once, new byte[] {0}), null, "text/plain", null)
                        .problem())
                .as("a byte behind the last member")
                .isEqualTo(Problem.BODY_UNREADABLE);
        for (int wrong : List.of(1, 5, 8)) {
            byte[] damaged = once.clone();
            damaged[once.length - wrong] ^= 1;
            assertThat(capture.send(damaged, null, "text/plain", null).problem())
                    .as("a wrong checksum or length")
                    .isEqualTo(Problem.BODY_UNREADABLE);
        }
    }

    @Test
    void case_21_an_event_that_is_too_large_costs_only_itself() {
        String prefix = "{\"event\":\"x\",\"distinct_id\":\"u\",\"properties\":{\"p\":\"";
        int room = (1 << 20) - prefix.length() - "\"}}".length();
        String exact = prefix + "a".repeat(room) + "\"}}";
        String over = prefix + "a".repeat(room + 1) + "\"}}";
        String huge = prefix + "a".repeat(19_000_000) + "\"}}";
        assertThat(capture.post(envelope(exact, valid(1))).body()).isEqualTo(ok(2, 0, 0));
        assertThat(capture.post(envelope(over, valid(2))).body()).isEqualTo(ok(1, 0, 1));
        assertThat(capture.post(envelope(huge, valid(3))).body()).isEqualTo(ok(1, 0, 1));
        String key = "{\"event\":\"x\",\"distinct_id\":\"u\",\"properties\":{\"" + "k".repeat(60_000) + "\":1}}";
        assertThat(capture.post(envelope(key)).body()).isEqualTo(ok(1, 0, 0));
        assertThat(capture.record.rejections().list(PROJECT))
                .extracting(Rejection::reason)
                .containsExactly("too_large", "too_large");
        assertThat(capture.record.rejections().list(PROJECT).getFirst().sample())
                .hasSize(200)
                .startsWith(prefix);
    }

    @Test
    void case_22_nothing_may_follow_the_document() {
        String one = envelope(valid(1));
        String array = "[{\"event\":\"x\",\"distinct_id\":\"u\",\"token\":\"phc_demo\"}]";
        for (String bad : List.of(
                array + "x",
                array + array,
                array + "]",
                one + "\n" + one,
                one + "x",
                one + "}",
                one + "\0",
                one.substring(0, 40))) {
            assertThat(capture.post(bad).problem()).as(bad).isEqualTo(Problem.BODY_UNREADABLE);
        }
        assertThat(capture.events()).isEmpty();
        assertThat(capture.post(" " + one + " \r\n\t").status()).isEqualTo(200);
    }

    @Test
    void case_23_only_utf_8_is_read() {
        String one = envelope(valid(1));
        byte[] bytes = utf8(one);
        byte[] invalid = utf8(envelope("{\"event\":\"x?\",\"distinct_id\":\"u\"}"));
        invalid[one.indexOf("event") + 9] = (byte) 0xFF;
        byte[] cesu = join(utf8("[\""), new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0xBD}, utf8("\"]"));
        for (byte[] bad : List.of(
                invalid,
                cesu,
                join(new byte[] {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF}, bytes),
                one.getBytes(StandardCharsets.UTF_16LE),
                one.getBytes(StandardCharsets.UTF_16BE),
                one.getBytes(StandardCharsets.UTF_16))) {
            assertThat(capture.send(bad, null, "application/json", null).problem())
                    .isEqualTo(Problem.BODY_UNREADABLE);
        }
        assertThat(capture.events()).isEmpty();
    }

    @Test
    void case_24_the_wrong_type_in_the_place_of_properties_or_events() {
        assertThat(text(capture.stored("\"event\":\"x\",\"distinct_id\":\"u\",\"properties\":null")))
                .isEqualTo("{}");
        assertThat(text(capture.stored("\"event\":\"x\",\"distinct_id\":\"u\"")))
                .isEqualTo("{}");
        assertThat(capture.rejection("\"event\":\"x\",\"distinct_id\":\"u\",\"properties\":[1]"))
                .isEqualTo("properties_invalid");
        assertThat(capture.rejection("\"event\":\"x\",\"distinct_id\":\"u\",\"properties\":\"{}\""))
                .isEqualTo("properties_invalid");
        capture.door.clear();
        assertThat(capture.post(envelope("null", "\"event\"", "[]", "7", valid(1)))
                        .body())
                .isEqualTo(ok(1, 0, 4));
        for (String bad : List.of("7", "{}", "\"[]\"", "null")) {
            assertThat(capture.post("{\"api_key\":\"phc_demo\",\"batch\":" + bad + "}")
                            .problem())
                    .isEqualTo(Problem.BODY_UNREADABLE);
        }
    }

    @Test
    void case_25_projects_do_not_know_each_others_uuids() {
        String event = event(UUID, "a");
        assertThat(capture.post(envelope(event)).body()).isEqualTo(ok(1, 0, 0));
        assertThat(capture.post("{\"api_key\":\"phc_other\",\"batch\":[" + event + "]}")
                        .body())
                .isEqualTo(ok(1, 0, 0));
        assertThat(capture.post(envelope(event)).body()).isEqualTo(ok(0, 1, 0));
        assertThat(capture.events())
                .extracting(stored -> stored.identity().project())
                .containsExactly(PROJECT, OTHER_PROJECT);
    }

    @Test
    void case_26_identical_requests_at_once_store_once_and_all_succeed() throws Exception {
        String batch = envelope(valid(1), valid(2), valid(3));
        List<Callable<String>> requests = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            requests.add(() -> capture.post(batch).body());
        }
        int accepted = 0;
        try (ExecutorService clients = Executors.newFixedThreadPool(8)) {
            for (Future<String> answer : clients.invokeAll(requests)) {
                assertThat(answer.get()).startsWith("{\"status\":\"Ok\"");
                accepted += answer.get().contains("\"accepted\":3") ? 3 : 0;
            }
        }
        assertThat(accepted).isEqualTo(3);
        assertThat(capture.events()).hasSize(3);
    }

    @Test
    void case_27_a_retry_in_another_mix_stores_only_what_is_new() {
        List<String> events = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            events.add(valid(i));
        }
        capture.door.refuse(Problem.QUEUE_FULL, "full");
        assertThat(capture.post(envelope(events.toArray(String[]::new))).status())
                .isEqualTo(503);
        capture.door.open();
        assertThat(capture.post(envelope(events.subList(0, 50).toArray(String[]::new)))
                        .body())
                .isEqualTo(ok(50, 0, 0));
        events.addAll(List.of(valid(100), valid(101), valid(102)));
        assertThat(capture.post(envelope(events.subList(40, 103).toArray(String[]::new)))
                        .body())
                .isEqualTo(ok(53, 10, 0));
        assertThat(capture.events()).hasSize(103);
    }

    @Test
    void case_28_forms_are_repaired() {
        byte[] json = utf8(envelope(valid(1)).replace("\"e\"", "\"\u00fb\u00ff\u00bf>>>???\""));
        String base64 = Base64.getEncoder().encodeToString(json);
        assertThat(base64).contains("+");
        String form = "application/x-www-form-urlencoded";
        String escaped = base64.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D");
        assertThat(capture.send(utf8("data=" + base64), "compression=base64", form, null)
                        .body())
                .as("plus became space")
                .isEqualTo(ok(1, 0, 0));
        assertThat(capture.send(utf8("data=" + escaped), null, form, null).body())
                .isEqualTo(ok(0, 1, 0));
        assertThat(capture.send(utf8("data=" + escaped.replace("%", "%25")), null, form + "; charset=UTF-8", null)
                        .body())
                .as("encoded twice")
                .isEqualTo(ok(0, 1, 0));
        assertThat(capture.send(
                                utf8("data="
                                        + URLEncoder.encode(
                                                new String(json, StandardCharsets.UTF_8), StandardCharsets.UTF_8)),
                                null,
                                form,
                                null)
                        .body())
                .isEqualTo(ok(0, 1, 0));
    }

    @Test
    void case_29_tokens_are_trimmed_and_checked() {
        assertThat(withToken("phc_demo\\n").status()).isEqualTo(200);
        assertThat(withToken("phx_personal").problem()).isEqualTo(Problem.TOKEN_INVALID);
        assertThat(withToken("p".repeat(65)).problem()).isEqualTo(Problem.TOKEN_INVALID);
        assertThat(withToken("\ud83d\ude00").problem()).isEqualTo(Problem.TOKEN_INVALID);
        assertThat(withToken("phc\\u0000").problem()).isEqualTo(Problem.TOKEN_INVALID);
        assertThat(withToken("phc_unknown").problem()).isEqualTo(Problem.TOKEN_INVALID);
        assertThat(withToken(" ").problem()).isEqualTo(Problem.TOKEN_MISSING);
        assertThat(capture.post("{\"batch\":[" + valid(1) + "]}").problem()).isEqualTo(Problem.TOKEN_MISSING);
        assertThat(capture.post("{\"api_key\":7,\"batch\":[" + valid(1) + "]}").problem())
                .isEqualTo(Problem.TOKEN_INVALID);
    }

    private HttpAnswer withToken(String token) {
        return capture.post("{\"api_key\":\"" + token + "\",\"batch\":[" + valid(1) + "]}");
    }

    @Test
    void case_30_a_body_said_to_be_gzip_that_is_json_is_read() {
        byte[] json = utf8(envelope(valid(1)));
        assertThat(capture.send(json, null, "application/json", "gzip").body()).isEqualTo(ok(1, 0, 0));
        assertThat(capture.send(utf8("garbage!"), null, "application/json", "gzip")
                        .problem())
                .isEqualTo(Problem.BODY_UNREADABLE);
        assertThat(Compression.isReadable("br")).isFalse();
        assertThat(Compression.isReadable("deflate")).isFalse();
        assertThat(Compression.isReadable("zstd")).isFalse();
    }

    @Test
    void an_identity_is_the_sixteen_bytes() {
        Event event = capture.stored("\"event\":\"x\",\"distinct_id\":\"u\",\"uuid\":\"" + UUID + "\"");
        assertThat(event.identity().uuid()).isEqualTo(EventUuid.parse(UUID).orElseThrow());
    }
}
