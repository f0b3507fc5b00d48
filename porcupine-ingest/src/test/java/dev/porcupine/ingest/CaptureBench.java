package dev.porcupine.ingest;

import dev.porcupine.ledger.AcceptResult;
import dev.porcupine.ledger.Verdict;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.InstantSource;
import java.util.Collections;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Prints what decoding costs for each event, without HTTP and without the ledger. Run its {@code main} from an IDE, or with the test
 * class path; it is no test.
 */
final class CaptureBench {

    private static final int BATCH = 100;
    private static final int ROUNDS = 20_000;

    private CaptureBench() {}

    public static void main(String[] args) {
        byte[] plain = CaptureFixture.utf8(batch());
        System.out.printf("%d events, %d bytes each%n", BATCH, plain.length / BATCH);
        for (int i = 0; i < 3; i++) {
            measure("plain", plain, null);
            measure("gzip", CaptureFixture.gzip(plain), "gzip");
        }
    }

    private static String batch() {
        StringBuilder json = new StringBuilder("{\"api_key\":\"phc_demo\",\"batch\":[");
        for (int i = 0; i < BATCH; i++) {
            json.append(i == 0 ? "" : ",")
                    .append(String.format(
                            "{\"event\":\"order paid\",\"distinct_id\":\"user-%05d\","
                                    + "\"uuid\":\"0190f000-0000-7000-8000-%012x\",\"type\":\"capture\","
                                    + "\"library\":\"posthog-node\",\"library_version\":\"5.70.0\","
                                    + "\"timestamp\":\"2026-11-30T10:00:00.123Z\",\"properties\":{\"$lib\":\"posthog-node\","
                                    + "\"$lib_version\":\"5.70.0\",\"$geoip_disable\":true,\"plan\":\"pro\",\"amount\":1299.50,"
                                    + "\"currency\":\"EUR\",\"items\":[{\"sku\":\"A-1\",\"n\":2},{\"sku\":\"B-7\",\"n\":1}],"
                                    + "\"$set\":{\"plan\":\"pro\",\"last_order\":\"2026-11-30\"}}}",
                            i, i + 1));
        }
        return json.append("],\"sent_at\":\"2026-11-30T10:00:00.200Z\"}").toString();
    }

    private static void measure(String name, byte[] body, @Nullable String encoding) {
        BodyBudget budget = new BodyBudget(256L << 20);
        CaptureRecord record = new CaptureRecord(new CaptureMetrics(new SimpleMeterRegistry(), budget));
        AcceptResult committed =
                new AcceptResult.Committed(Collections.nCopies(BATCH, new Verdict(Verdict.Kind.ACCEPTED, false)));
        Capture capture = new Capture(
                token -> Optional.of(CaptureFixture.PROJECT),
                events -> committed,
                CaptureFixture.LIMITS,
                InstantSource.system(),
                record);
        CaptureEndpoint endpoint = new CaptureEndpoint(capture, record.metrics(), CaptureFixture.LIMITS, false);
        long started = System.nanoTime();
        for (int i = 0; i < ROUNDS; i++) {
            try (BodyBudget.Charge charge = budget.open()) {
                charge.take(body.length);
                endpoint.answer(
                        new PublicRequest("POST", "/batch", null, "application/json", encoding, () -> Slice.of(body)),
                        charge);
            }
        }
        double micros = (System.nanoTime() - started) / 1000.0 / ROUNDS / BATCH;
        System.out.printf("%-5s %.2f us an event%n", name, micros);
    }
}
