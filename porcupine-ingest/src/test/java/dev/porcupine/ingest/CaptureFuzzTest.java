package dev.porcupine.ingest;

import static dev.porcupine.ingest.CaptureFixture.gzip;
import static dev.porcupine.ingest.CaptureFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.Event;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever arrives is answered, counted once, and costs no memory afterwards. */
class CaptureFuzzTest {

    private static final int ROUNDS = 60_000;
    private static final List<byte[]> SEEDS = seeds();
    private static final List<String> TYPES =
            List.of("application/json", "text/plain", "application/x-www-form-urlencoded", "a;b=c", "");
    private static final List<String> QUERIES = List.of(
            "",
            "compression=gzip-js",
            "compression=lz64",
            "compression=base64",
            "_=1796032800000",
            "data=%7B%7D",
            "beacon=1&_=x",
            "data=e30%3D&compression=gzip",
            "%",
            "&&=&=&",
            "data=%%%");

    private static List<byte[]> seeds() {
        byte[] envelope = utf8("{\"api_key\":\"phc_demo\",\"sent_at\":\"2026-11-30T10:00:02.000Z\",\"batch\":["
                + "{\"event\":\"signup\",\"distinct_id\":\"u1\",\"uuid\":\"0190f000-0000-7000-8000-00000000abcd\","
                + "\"timestamp\":\"2026-11-30T10:00:00.000Z\",\"properties\":{\"plan\":\"pro\",\"n\":[1,{\"a\":1.5e3}]}},"
                + "{\"event\":\"x\\u00e9\",\"distinct_id\":23,\"timestamp\":1796032800,\"$set\":{\"a\":\"\\ud83d\\ude00\"}},"
                + "{\"event\":\"y\",\"$distinct_id\":\"z\",\"offset\":3000,\"properties\":null,\"uuid\":null}]}");
        byte[] array = utf8("[{\"event\":\"$pageview\",\"offset\":3000,\"properties\":{\"token\":\"phc_demo\","
                + "\"distinct_id\":\"anon-1\",\"$ignore_sent_at\":true}}]");
        byte[] single = utf8("{\"token\":\"phc_demo\",\"event\":\"x\",\"distinct_id\":\"u1\",\"properties\":{}}");
        byte[] lz =
                utf8("N4IghgDglg+g1gUwJ4gFwggCwMYwCYIC2A9iADQgIBuCAdgC5ogAe5IeUAzvVLdvTCh4mAVwCMbCACdiEBFJ4JOaUBAA2YWk"
                        + "2mkAvrqA");
        byte[] form =
                CaptureFixture.join(utf8("data="), Base64.getEncoder().encode(single), utf8("&compression=base64"));
        return List.of(
                envelope,
                array,
                single,
                gzip(envelope),
                gzip(single),
                lz,
                form,
                Base64.getEncoder().encode(envelope),
                Base64.getEncoder().encode(gzip(array)));
    }

    @Test
    void no_input_is_left_without_a_clear_answer() {
        long seed = Long.getLong("porcupine.test.seed", 42L);
        Random random = new Random(seed);
        CaptureFixture capture = new CaptureFixture(CaptureFixture.limits(1 << 16, 1 << 18, 1 << 14, 16, 100, 1 << 22));
        int stored = 0;
        for (int i = 0; i < ROUNDS; i++) {
            byte[] body = Mutation.of(SEEDS.get(random.nextInt(SEEDS.size())), random);
            String query = QUERIES.get(random.nextInt(QUERIES.size()));
            String type = TYPES.get(random.nextInt(TYPES.size()));
            String what = String.format("seed %d, round %d, query %s, type %s", seed, i, query, type);
            HttpAnswer answer;
            try {
                answer = capture.send(body, query, type, random.nextInt(4) == 0 ? "gzip" : null);
            } catch (RuntimeException e) {
                throw new AssertionError(what + ": " + Base64.getEncoder().encodeToString(body), e);
            }
            if (answer.status() != 200 && answer.status() != 204) {
                assertThat(answer.status()).as(what).isIn(400, 401, 413);
            } else {
                stored++;
            }
            if (capture.budget.bytesInUse() != 0) {
                assertThat(capture.budget.bytesInUse()).as(what).isZero();
            }
        }
        assertThat(stored).as("requests that were still good").isGreaterThan(1000);
        double sum = 0;
        for (CaptureMetrics.Outcome outcome : CaptureMetrics.Outcome.values()) {
            sum += capture.counted(outcome.name().toLowerCase(Locale.ROOT));
        }
        assertThat(capture.registry.get("porcupine.capture.received").counter().count())
                .isEqualTo(sum);
        capture.events().forEach(CaptureFuzzTest::isWellFormed);
    }

    private static void isWellFormed(Event event) {
        Slice properties = Slice.of(event.properties());
        assertThat(Utf8.isValid(properties)).isTrue();
        JsonScanner json = new JsonScanner(properties, 16);
        assertThat(json.value(1)).isEqualTo(JsonScanner.OBJECT);
        json.finish();
        assertThat(event.name()).isNotEmpty();
        assertThat(event.distinctId()).isNotBlank();
    }
}
