package dev.porcupine.ingest;

import static dev.porcupine.ingest.CaptureFixture.NOW;
import static dev.porcupine.ingest.CaptureFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClientClockTest {

    private final CaptureFixture capture = new CaptureFixture();

    private Instant stored(String envelopeMembers, String eventMembers, @Nullable String query) {
        capture.door.clear();
        String body = "{\"api_key\":\"phc_demo\",\"batch\":[{\"event\":\"x\",\"distinct_id\":\"u\"" + eventMembers
                + "}]" + envelopeMembers + "}";
        assertThat(capture.send(utf8(body), query, "application/json", null).status())
                .isEqualTo(200);
        return Instant.EPOCH.plus(capture.events().getFirst().timestampMicros(), ChronoUnit.MICROS);
    }

    @Test
    void a_clock_that_is_off_is_corrected_by_when_the_request_was_sent() {
        assertThat(stored(",\"sent_at\":\"2026-11-30T09:00:10Z\"", ",\"timestamp\":\"2026-11-30T09:00:00.000Z\"", null))
                .isEqualTo(NOW.minusSeconds(10));
        assertThat(stored("", ",\"timestamp\":\"2026-11-30T09:00:00.000Z\"", "_=1796029210000"))
                .isEqualTo(NOW.minusSeconds(10));
        assertThat(stored("", ",\"timestamp\":\"2026-11-30T09:00:00.000Z\"", "sent_at=1796029210000"))
                .isEqualTo(NOW.minusSeconds(10));
    }

    @Test
    void a_time_of_sending_that_can_not_be_read_is_ignored() {
        Instant asWritten = Instant.parse("2026-11-30T09:00:00Z");
        String event = ",\"timestamp\":\"2026-11-30T09:00:00Z\"";
        assertThat(stored(",\"sent_at\":\"soon\"", event, null)).isEqualTo(asWritten);
        assertThat(stored(",\"sent_at\":7", event, null)).isEqualTo(asWritten);
        assertThat(stored(",\"sent_at\":null", event, null)).isEqualTo(asWritten);
        assertThat(stored("", event, "_=1796029210")).as("seconds").isEqualTo(asWritten);
        assertThat(stored("", event, "_=abc&beacon=x")).isEqualTo(asWritten);
    }

    @Test
    void an_event_may_opt_out_of_the_correction() {
        String sentAt = ",\"sent_at\":\"2026-11-30T09:00:10Z\"";
        String timestamp = ",\"timestamp\":\"2026-11-30T09:00:00Z\"";
        assertThat(stored(sentAt, timestamp + ",\"properties\":{\"$ignore_sent_at\":true}", null))
                .isEqualTo(Instant.parse("2026-11-30T09:00:00Z"));
        assertThat(stored(sentAt, timestamp + ",\"properties\":{\"$ignore_sent_at\":false}", null))
                .isEqualTo(NOW.minusSeconds(10));
    }

    @Test
    void an_offset_is_not_corrected() {
        assertThat(stored(",\"sent_at\":\"2026-11-30T09:00:10Z\"", ",\"offset\":3000", null))
                .isEqualTo(NOW.minusSeconds(3));
        assertThat(stored("", ",\"offset\":null,\"timestamp\":\"2026-11-30T09:00:00Z\"", null))
                .isEqualTo(Instant.parse("2026-11-30T09:00:00Z"));
    }

    @Test
    void an_event_without_a_time_happened_when_it_arrived() {
        assertThat(stored("", "", null)).isEqualTo(NOW);
        assertThat(stored("", ",\"timestamp\":null", null)).isEqualTo(NOW);
        assertThat(stored(",\"sent_at\":\"2020-01-01T00:00:00Z\"", "", null)).isEqualTo(NOW);
    }

    @Test
    void twenty_three_hours_ahead_is_the_limit() {
        Instant limit = NOW.plus(Duration.ofHours(23));
        assertThat(stored("", ",\"timestamp\":\"" + limit + "\"", null)).isEqualTo(limit);
        assertThat(stored("", ",\"timestamp\":\"" + limit.plusMillis(1) + "\"", null))
                .isEqualTo(NOW);
        assertThat(stored("", ",\"offset\":-82800001", null)).isEqualTo(NOW);
        assertThat(stored(",\"sent_at\":\"2026-11-29T09:59:59Z\"", ",\"timestamp\":\"2026-11-30T10:00:00Z\"", null))
                .as("a day ahead after the correction")
                .isEqualTo(NOW);
    }

    @Test
    void extreme_times_of_sending_do_not_overflow() {
        assertThat(stored(",\"sent_at\":\"9999-12-31T23:59:59Z\"", ",\"timestamp\":\"0000-01-01T00:00:00Z\"", null))
                .isBefore(Instant.EPOCH);
        assertThat(stored(",\"sent_at\":\"0000-01-01T00:00:00Z\"", ",\"timestamp\":\"9999-12-31T23:59:59Z\"", null))
                .isEqualTo(NOW);
    }
}
