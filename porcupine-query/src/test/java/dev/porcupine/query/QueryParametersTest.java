package dev.porcupine.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.porcupine.history.EventQuery;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QueryParametersTest {

    private static final long TEN = StoredEvents.TEN_O_CLOCK_MICROS;

    @Test
    void nothing_given_asks_for_the_newest_hundred() {
        assertThat(read(Map.of())).isEqualTo(new EventQuery(QueryServer.PROJECT, null, null, null, null, null, 100));
    }

    @Test
    void an_empty_parameter_counts_as_absent() {
        Map<String, String[]> empty = Map.of(
                "limit",
                one(""),
                "cursor",
                one(""),
                "event",
                one(""),
                "distinct_id",
                one(""),
                "from",
                one(""),
                "to",
                one(""));
        assertThat(read(empty)).isEqualTo(read(Map.of()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "1000"})
    void limits_from_one_to_a_thousand_are_taken(String limit) {
        assertThat(read(Map.of("limit", one(limit))).limit()).isEqualTo(Integer.parseInt(limit));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1001", "1e2", " 5", "ten", "99999999999", "1.0"})
    void other_limits_are_refused(String limit) {
        assertRefused("limit", limit);
    }

    @ParameterizedTest
    @CsvSource({
        "2026-11-30T10:00:00Z, 0",
        "2026-11-30T10:00Z, 0",
        "2026-11-30T11:00:00+01:00, 0",
        "2026-11-30T10:00:00.5Z, 500000",
        "2026-11-30T10:00:00.000001Z, 1",
        "2026-11-30T10:00:00.0000001Z, 1",
        "2026-11-30T10:00:00.999999999Z, 1000000",
    })
    void instants_are_read_to_the_microsecond_and_rounded_up(String text, long micros) {
        assertThat(read(Map.of("from", one(text))).fromMicros()).isEqualTo(TEN + micros);
        assertThat(read(Map.of("to", one(text))).toMicros()).isEqualTo(TEN + micros);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-11-30",
                "2026-11-30T10:00:00",
                "2026-11-30T11:00:00 01:00",
                "1796032800",
                "yesterday",
                "2026-02-30T10:00:00Z",
                "2026-11-30T25:00:00Z",
                "0000-12-31T23:59:59Z",
                "+10000-01-01T00:00:00Z",
                "+999999999-01-01T00:00:00Z"
            })
    void other_instants_are_refused(String text) {
        assertRefused("from", text);
        assertRefused("to", text);
    }

    @Test
    void a_range_that_ends_before_it_begins_is_refused() {
        Map<String, String[]> reversed = Map.of("from", one("2026-11-30T10:00:01Z"), "to", one("2026-11-30T10:00:00Z"));
        assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> read(reversed));
    }

    @Test
    void unknown_and_repeated_parameters_are_refused() {
        assertRefused("distinctId", "u1");
        Map<String, String[]> twice = Map.of("event", new String[] {"a", "b"});
        assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> read(twice));
    }

    private static void assertRefused(String name, String value) {
        assertThatExceptionOfType(ProblemException.class)
                .isThrownBy(() -> read(Map.of(name, one(value))))
                .satisfies(e -> assertThat(e.problem()).isEqualTo(Problem.PARAMETER_INVALID));
    }

    private static EventQuery read(Map<String, String[]> parameters) {
        return QueryParameters.read(QueryServer.PROJECT, parameters);
    }

    private static String[] one(String value) {
        return new String[] {value};
    }
}
