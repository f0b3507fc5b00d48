package dev.porcupine.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimestampTextTest {

    private static long parse(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return TimestampText.parse(bytes, 0, bytes.length);
    }

    private static long parseNumber(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return TimestampText.parseNumber(bytes, 0, bytes.length);
    }

    private static long micros(String instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(instant));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    2026-11-30T10:00:00Z               | 2026-11-30T10:00:00Z
                    2026-11-30t10:00:00z               | 2026-11-30T10:00:00Z
                    2026-11-30T10:00:00.123Z           | 2026-11-30T10:00:00.123Z
                    2026-11-30T10:00:00.123456789Z     | 2026-11-30T10:00:00.123456Z
                    2026-11-30T10:00:00,5Z             | 2026-11-30T10:00:00.5Z
                    2026-11-30T10:00:00+02:00          | 2026-11-30T08:00:00Z
                    2026-11-30T10:00:00-0330           | 2026-11-30T13:30:00Z
                    2026-11-30T10:00:00+03             | 2026-11-30T07:00:00Z
                    2026-11-30 10:00:00                | 2026-11-30T10:00:00Z
                    2026-11-30 10:00                   | 2026-11-30T10:00:00Z
                    2026-11-30 10:00:00 +0100          | 2026-11-30T09:00:00Z
                    2026-11-30 10:00:00 UTC            | 2026-11-30T10:00:00Z
                    2026-11-30T10:00                   | 2026-11-30T10:00:00Z
                    2026-11-30                         | 2026-11-30T00:00:00Z
                    2024-02-29                         | 2024-02-29T00:00:00Z
                    2026-12-31T23:59:60Z               | 2027-01-01T00:00:00Z
                    0000-01-01T00:00:00Z               | 0000-01-01T00:00:00Z
                    9999-12-31T23:59:59.999999Z        | 9999-12-31T23:59:59.999999Z
                    Mon, 30 Nov 2026 10:00:00 +0000    | 2026-11-30T10:00:00Z
                    Mon, 30 Nov 2026 10:00:00 GMT      | 2026-11-30T10:00:00Z
                    30 Nov 2026 10:00:00 -0500         | 2026-11-30T15:00:00Z
                    1 jan 2026 10:00 Z                 | 2026-01-01T10:00:00Z
                    2026/11/30 10:00:00                | 2026-11-30T10:00:00Z
                    2026/1/3                           | 2026-01-03T00:00:00Z
                    11/30/2026                         | 2026-11-30T00:00:00Z
                    1/3/2026 04:05                     | 2026-01-03T04:05:00Z
                    1796032800                         | 2026-11-30T10:00:00Z
                    1796032800123                      | 2026-11-30T10:00:00.123Z
                    """)
    void a_time_is_read(String text, String instant) {
        assertThat(parse(text)).isEqualTo(micros(instant));
    }

    @Test
    void what_is_no_time_is_unreadable() {
        for (String text : List.of(
                "",
                " ",
                "not a date",
                "now",
                "2026",
                "2026-13-01",
                "2026-02-29",
                "2026-04-31",
                "2026-1-1",
                "2026-11-30T25:00:00Z",
                "2026-11-30T10:60:00Z",
                "2026-11-30T10",
                "2026-11-30T10:00:00.Z",
                "2026-11-30T10:00:00+25:00",
                "2026-11-30T10:00:00Zjunk",
                "2026-11-30X10:00:00",
                "2026-11-30T",
                "13/40/2026",
                "Mon, 30 Nov",
                "30 Xyz 2026 10:00:00 GMT",
                "Mon Nov 30 2026",
                "+",
                "-",
                "12345",
                "179603280012",
                "-1796032800",
                "2026-11-30T10:00:00+",
                "1/",
                "1/1/",
                "1 ",
                "M",
                "Mon,",
                "+a",
                "x".repeat(65))) {
            assertThat(parse(text)).as("'%s'", text).isEqualTo(TimestampText.UNREADABLE);
        }
    }

    @Test
    void years_that_have_no_four_digits_are_out_of_bounds() {
        for (String text : List.of(
                "-0005-01-01T00:00:00Z",
                "-2026-11-30",
                "10000-01-01T00:00:00Z",
                "+12000-01-01T00:00:00Z",
                "999999999-12-31")) {
            assertThat(parse(text)).as(text).isEqualTo(TimestampText.OUT_OF_BOUNDS);
        }
    }

    @Test
    void numbers_are_seconds_or_milliseconds_by_their_size() {
        assertThat(parseNumber("1796032800")).isEqualTo(micros("2026-11-30T10:00:00Z"));
        assertThat(parseNumber("1796032800.5")).isEqualTo(micros("2026-11-30T10:00:00.5Z"));
        assertThat(parseNumber("1796032800123")).isEqualTo(micros("2026-11-30T10:00:00.123Z"));
        assertThat(parseNumber("1.796032800123e12")).isEqualTo(micros("2026-11-30T10:00:00.123Z"));
        assertThat(parseNumber("0")).isZero();
        assertThat(parseNumber("-0.5")).isEqualTo(-500_000);
        assertThat(parseNumber("99999999999")).isEqualTo(micros("5138-11-16T09:46:39Z"));
        assertThat(parseNumber("100000000000")).isEqualTo(micros("1973-03-03T09:46:40Z"));
        for (String absurd : List.of("1e400", "-1e400", "1e300", "253402300800000", "-62167219201", "1".repeat(65))) {
            assertThat(parseNumber(absurd)).as(absurd).isEqualTo(TimestampText.OUT_OF_BOUNDS);
        }
    }

    @Test
    void every_day_of_ten_thousand_years_is_where_the_calendar_has_it() {
        LocalDate day = LocalDate.of(0, 1, 1);
        while (day.getYear() < 10_000) {
            String text = String.format("%04d-%02d-%02d", day.getYear(), day.getMonthValue(), day.getDayOfMonth());
            if (parse(text) != day.toEpochDay() * 86_400_000_000L) {
                assertThat(parse(text)).as(text).isEqualTo(day.toEpochDay() * 86_400_000_000L);
            }
            day = day.plusDays(day.getDayOfMonth() < 26 ? 9 : 1);
        }
    }
}
