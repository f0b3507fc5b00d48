package dev.porcupine.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.EventQuery.Position;
import dev.porcupine.schema.EventUuid;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CursorTest {

    private static final EventUuid UUID = new EventUuid(0x0190_F000_0000_7000L, 0x8000_0000_0000_ABCDL);

    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, 1_796_032_800_000_000L, QueryParameters.MICROS_MIN, QueryParameters.MICROS_MAX})
    void a_position_survives_the_way_to_the_client_and_back(long micros) {
        Position position = new Position(micros, UUID);
        assertThat(Cursor.decode(Cursor.encode(position))).contains(position);
    }

    @ParameterizedTest
    @ValueSource(
            longs = {QueryParameters.MICROS_MIN - 1, QueryParameters.MICROS_MAX + 1, Long.MIN_VALUE, Long.MAX_VALUE})
    void a_time_that_no_event_has_is_refused(long micros) {
        assertThat(Cursor.decode(Cursor.encode(new Position(micros, UUID)))).isEmpty();
    }

    @Test
    void every_changed_length_or_version_is_refused() {
        String cursor = Cursor.encode(new Position(5, UUID));
        assertThat(cursor).hasSize(34);
        assertThat(Cursor.decode("")).isEmpty();
        assertThat(Cursor.decode(cursor.substring(1))).isEmpty();
        assertThat(Cursor.decode(cursor + "A")).isEmpty();
        assertThat(Cursor.decode(cursor + "==")).isEmpty();
        assertThat(Cursor.decode("B" + cursor.substring(1))).isEmpty();
        assertThat(Cursor.decode("!" + cursor.substring(1))).isEmpty();
    }

    @Test
    void one_position_has_one_spelling() {
        String cursor = Cursor.encode(new Position(5, UUID));
        assertThat(cursor).endsWith("Q");
        String strayBits = cursor.substring(0, 33) + "R";
        assertThat(Base64.getUrlDecoder().decode(strayBits))
                .isEqualTo(Base64.getUrlDecoder().decode(cursor));
        assertThat(Cursor.decode(strayBits)).isEmpty();
    }
}
