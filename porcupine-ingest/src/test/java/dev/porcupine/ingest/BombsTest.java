package dev.porcupine.ingest;

import static dev.porcupine.ingest.CaptureFixture.gzip;
import static dev.porcupine.ingest.CaptureFixture.join;
import static dev.porcupine.ingest.CaptureFixture.limits;
import static dev.porcupine.ingest.CaptureFixture.ok;
import static dev.porcupine.ingest.CaptureFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** Small requests that would like to be large. */
class BombsTest {

    private static final int MEBIBYTE = 1 << 20;

    private static byte[] zeros(long bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            byte[] chunk = new byte[MEBIBYTE];
            for (long written = 0; written < bytes; written += chunk.length) {
                gzip.write(chunk);
            }
        }
        return out.toByteArray();
    }

    @SuppressWarnings("deprecation") // the only counter there is of what a thread has allocated
    private static long allocatedBytes() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
                .getThreadAllocatedBytes(Thread.currentThread().threadId());
    }

    @Test
    void a_gzip_bomb_is_stopped_at_the_limit_and_not_behind_it() throws IOException {
        CaptureFixture capture =
                new CaptureFixture(limits(20 * MEBIBYTE, 4 * MEBIBYTE, MEBIBYTE, 128, 50_000, 64L << 20));
        byte[] bomb = zeros(256L << 20);
        assertThat(bomb.length).isLessThan(MEBIBYTE);
        long before = allocatedBytes();
        assertThat(capture.send(bomb, null, "text/plain", null).problem()).isEqualTo(Problem.BODY_TOO_LARGE);
        assertThat(allocatedBytes() - before).isLessThan(16L * MEBIBYTE);
        byte[] lying = bomb.clone();
        Arrays.fill(lying, lying.length - 4, lying.length, (byte) 0);
        assertThat(capture.send(lying, null, "text/plain", null).problem())
                .as("a trailer that claims no content")
                .isEqualTo(Problem.BODY_TOO_LARGE);
        assertThat(capture.budget.bytesInUse()).isZero();
    }

    @Test
    void a_trailer_that_lies_upwards_costs_no_more_than_the_input_could_become() {
        CaptureFixture capture = new CaptureFixture();
        byte[] small = gzip(utf8("[]"));
        Arrays.fill(small, small.length - 4, small.length, (byte) 0xFF);
        long before = allocatedBytes();
        assertThat(capture.send(small, null, "text/plain", null).problem()).isEqualTo(Problem.BODY_UNREADABLE);
        assertThat(allocatedBytes() - before).isLessThan(MEBIBYTE);
    }

    @Test
    void the_layers_share_one_limit() {
        CaptureFixture capture = new CaptureFixture(limits(MEBIBYTE, 1000, MEBIBYTE, 128, 50_000, 64L << 20));
        byte[] fits = utf8(
                "{\"api_key\":\"phc_demo\",\"event\":\"x\",\"distinct_id\":\"u\",\"p\":\"" + "a".repeat(500) + "\"}");
        byte[] base64 = Base64.getEncoder().encode(gzip(Base64.getEncoder().encode(fits)));
        assertThat(gzip(fits).length + fits.length).isLessThan(1000);
        assertThat(capture.send(gzip(fits), null, null, null).body()).isEqualTo(ok(1, 0, 0));
        assertThat(capture.send(base64, null, null, null).problem())
                .as("three layers of which each would fit")
                .isEqualTo(Problem.BODY_TOO_LARGE);
    }

    @Test
    void exactly_the_limit_is_not_too_large() {
        byte[] fits = utf8(
                "{\"api_key\":\"phc_demo\",\"event\":\"x\",\"distinct_id\":\"u\",\"p\":\"" + "a".repeat(400) + "\"}");
        CaptureFixture exact = new CaptureFixture(limits(MEBIBYTE, fits.length, MEBIBYTE, 128, 50_000, 64L << 20));
        CaptureFixture less = new CaptureFixture(limits(MEBIBYTE, fits.length - 1, MEBIBYTE, 128, 50_000, 64L << 20));
        assertThat(exact.send(gzip(fits), null, null, null).body()).isEqualTo(ok(1, 0, 0));
        assertThat(less.send(gzip(fits), null, null, null).problem()).isEqualTo(Problem.BODY_TOO_LARGE);
    }

    @Test
    void many_empty_members_are_read_in_passing() {
        byte[] empty = gzip(new byte[0]);
        byte[][] members = new byte[20_000][];
        Arrays.fill(members, empty);
        CaptureFixture capture = new CaptureFixture();
        assertThat(capture.send(join(members), null, null, null).problem()).isEqualTo(Problem.BATCH_EMPTY);
    }

    @Test
    void a_request_with_too_many_events_is_too_large() {
        CaptureFixture capture = new CaptureFixture(limits(MEBIBYTE, MEBIBYTE, MEBIBYTE, 128, 3, 64L << 20));
        String event = "{\"event\":\"x\",\"distinct_id\":\"u\"}";
        String prefix = "{\"api_key\":\"phc_demo\",\"batch\":[";
        assertThat(capture.post(prefix + event + "," + event + ",7]}").body()).isEqualTo(ok(2, 0, 1));
        assertThat(capture.post(prefix + event + ",7," + event + "," + event + "]}")
                        .problem())
                .isEqualTo(Problem.BODY_TOO_LARGE);
        assertThat(capture.post(prefix + "7,7,7,7]}").problem()).isEqualTo(Problem.BODY_TOO_LARGE);
    }

    @Test
    void what_fits_alone_is_retryable_and_what_never_fits_is_not() {
        BodyBudget budget = new BodyBudget(100);
        try (BodyBudget.Charge first = budget.open();
                BodyBudget.Charge second = budget.open()) {
            first.take(60);
            assertThatExceptionOfType(ProblemException.class)
                    .isThrownBy(() -> second.take(41))
                    .matches(e -> e.problem() == Problem.OVERLOADED);
            second.take(40);
            assertThatExceptionOfType(ProblemException.class)
                    .isThrownBy(() -> first.take(41))
                    .matches(e -> e.problem() == Problem.BODY_TOO_LARGE);
            first.give(60);
            assertThat(budget.bytesInUse()).isEqualTo(40);
        }
        assertThat(budget.bytesInUse()).isZero();
    }

    @Test
    void the_largest_body_fits_into_a_heap_of_512_megabytes() {
        CaptureLimits limits = CaptureLimits.forHeap(512L * MEBIBYTE);
        assertThat(limits.inFlightBytesMax())
                .isGreaterThanOrEqualTo(limits.wireBytesMax() + 2L * limits.decodedBytesMax())
                .isLessThanOrEqualTo(256L * MEBIBYTE);
    }

    @Test
    void a_full_budget_answers_503_and_recovers() {
        CaptureFixture capture = new CaptureFixture();
        String one = "{\"api_key\":\"phc_demo\",\"event\":\"x\",\"distinct_id\":\"u\"}";
        try (BodyBudget.Charge others = capture.budget.open()) {
            others.take(capture.budget.bytesMax() - one.length() - 10);
            HttpAnswer answer = capture.post(one);
            assertThat(answer.problem()).isEqualTo(Problem.OVERLOADED);
            assertThat(answer.status()).isEqualTo(503);
        }
        assertThat(capture.post(one).body()).isEqualTo(ok(1, 0, 0));
    }
}
