package dev.porcupine.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventUuidTest {

    private static final String CANONICAL = "0190f000-0000-7000-8000-00000000abcd";
    private static final EventUuid VALUE = new EventUuid(0x0190f00000007000L, 0x800000000000abcdL);

    @ParameterizedTest
    @ValueSource(
            strings = {
                CANONICAL,
                "0190F000-0000-7000-8000-00000000ABCD",
                "0190f000-0000-7000-8000-00000000AbCd",
                "0190f0000000700080000000" + "0000abcd",
                "0190F00000007000800000000000ABCD",
                "{0190f000-0000-7000-8000-00000000abcd}",
                "{0190F000-0000-7000-8000-00000000ABCD}",
                "urn:uuid:0190f000-0000-7000-8000-00000000abcd",
                "urn:uuid:0190F000-0000-7000-8000-00000000ABCD",
            })
    void every_spelling_of_one_value_is_that_value(String text) {
        assertThat(EventUuid.parse(text)).contains(VALUE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "1-1-1-1-1",
                "0190f000-0000-7000-8000-+0000000abcd",
                "0190f000-0000-7000-8000-+000000abcd",
                "+190f000-0000-7000-8000-00000000abcd",
                "-190f000-0000-7000-8000-00000000abcd",
                "0190f000-0000-7000-8000-0000000 abcd",
                " 0190f000-0000-7000-8000-00000000abcd",
                "0190f000-0000-7000-8000-00000000abcd ",
                "0190f000-0000-7000-8000-00000000abcd\n",
                "\t0190f000-0000-7000-8000-00000000abc",
                "0190f000-0000-7000-8000-00000000abcd0",
                "0190f000-0000-7000-8000-00000000abc",
                "0190f0000-000-7000-8000-00000000abcd",
                "0190f000-0000-7000-80000-0000000abcd",
                "0190f0000000-7000-8000-00000000abcd-",
                "0190f000_0000_7000_8000_00000000abcd",
                "0190f000\u20100000\u20107000\u20108000\u201000000000abcd",
                "0190f000-0000-7000-8000-00000000abcg",
                "0190f000-0000-7000-8000-00000000abc\u0000",
                "0190f000-0000-7000-8000-0000000\uff10abcd",
                "\uff10190f000-0000-7000-8000-00000000abcd",
                "\u0660190f000-0000-7000-8000-00000000abcd",
                "0190f000-0000-7000-8000-00000000ab\ud835\udfd8",
                "0190f00000007000800000000000abc",
                "0190f00000007000800000000000abcde",
                "0190f00000007000800000000000abc-",
                "0x90f00000007000800000000000abcd",
                "{0190f000-0000-7000-8000-00000000abcd",
                "0190f000-0000-7000-8000-00000000abcd}",
                "}0190f000-0000-7000-8000-00000000abcd{",
                "(0190f000-0000-7000-8000-00000000abcd)",
                "\"0190f000-0000-7000-8000-00000000abcd\"",
                "{0190f00000007000800000000000abcd}",
                "{{0190f000-0000-7000-8000-00000000abcd}}",
                "URN:UUID:0190f000-0000-7000-8000-00000000abcd",
                "urn:uuid:0190f00000007000800000000000abcd",
                "urn:uuid:{0190f000-0000-7000-8000-00000000abcd}",
                "urn:guid:0190f000-0000-7000-8000-00000000abcd",
                "null",
                "undefined",
                "AZDwAAAAcACAAAAAAAAAqw==",
            })
    void every_other_text_is_no_uuid(String text) {
        assertThat(EventUuid.parse(text)).isEmpty();
    }

    @Test
    void a_text_that_java_takes_leniently_is_no_uuid() {
        // what java.util.UUID makes of it would merge two events that a client holds apart
        assertThat(UUID.fromString("1-1-1-1-1")).isNotNull();
        assertThat(EventUuid.parse("1-1-1-1-1")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "00000000-0000-0000-0000-000000000000",
                "00000000000000000000000000000000",
                "{00000000-0000-0000-0000-000000000000}",
                "urn:uuid:00000000-0000-0000-0000-000000000000",
                "ffffffff-ffff-ffff-ffff-ffffffffffff",
                "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
                "ffffffffffffffffffffffffffffffff",
                "{ffffffff-ffff-ffff-ffff-ffffffffffff}",
                "urn:uuid:ffffffff-ffff-ffff-ffff-ffffffffffff",
            })
    void nil_and_max_are_no_identity(String text) {
        assertThat(EventUuid.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "00000000-0000-0000-0000-000000000001",
                "ffffffff-ffff-ffff-ffff-fffffffffffe",
                "00000000-0000-0000-8000-000000000000",
                "ffffffff-ffff-ffff-0000-000000000000",
                "0190f000-0000-0000-8000-00000000abcd",
                "0190f000-0000-1000-8000-00000000abcd",
                "0190f000-0000-4000-8000-00000000abcd",
                "0190f000-0000-9000-8000-00000000abcd",
                "0190f000-0000-f000-c000-00000000abcd",
            })
    void any_version_and_variant_is_an_identity(String text) {
        assertThat(EventUuid.parse(text)).map(EventUuid::toString).contains(text);
    }

    @Test
    void every_position_takes_every_hex_digit_and_nothing_else() {
        for (int position = 0; position < CANONICAL.length(); position++) {
            for (char c = 0; c < 0x180; c++) {
                char[] text = CANONICAL.toCharArray();
                text[position] = c;
                String changed = new String(text);
                boolean hyphen = CANONICAL.charAt(position) == '-';
                boolean valid = hyphen ? c == '-' : "0123456789abcdefABCDEF".indexOf(c) >= 0;
                Optional<EventUuid> parsed = EventUuid.parse(changed);
                assertThat(parsed.isPresent()).as(changed).isEqualTo(valid);
                parsed.ifPresent(uuid -> assertThat(uuid.toString()).isEqualTo(changed.toLowerCase(Locale.ROOT)));
            }
        }
    }

    @Test
    void random_values_survive_every_form() {
        Random random = new Random(20261130);
        for (int i = 0; i < 1_000; i++) {
            UUID uuid = new UUID(random.nextLong(), random.nextLong());
            EventUuid value = EventUuid.of(uuid);
            String hex = uuid.toString().replace("-", "");
            assertThat(EventUuid.parse(uuid.toString())).contains(value);
            assertThat(EventUuid.parse(hex)).contains(value);
            assertThat(EventUuid.ofBytes(value.toBytes())).isEqualTo(value);
            assertThat(HexFormat.of().formatHex(value.toBytes())).isEqualTo(hex);
            assertThat(value.toUuid()).isEqualTo(uuid);
            assertThat(value.toString()).isEqualTo(uuid.toString());
        }
    }

    @Test
    void sixteen_bytes_and_no_other_number() {
        assertThatThrownBy(() -> EventUuid.ofBytes(new byte[15])).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> EventUuid.ofBytes(new byte[17])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void order_is_that_of_the_bytes() {
        Random random = new Random(20261201);
        List<EventUuid> values = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            values.add(new EventUuid(random.nextLong(), random.nextLong()));
            values.add(new EventUuid(random.nextInt(3) - 1, random.nextLong()));
        }
        List<EventUuid> byBytes = new ArrayList<>(values);
        byBytes.sort((a, b) -> Arrays.compareUnsigned(a.toBytes(), b.toBytes()));
        values.sort(null);

        assertThat(values).isEqualTo(byBytes);
    }
}
