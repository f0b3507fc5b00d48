package dev.porcupine.ingest;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** Capture without HTTP, with two projects, a still clock and a door that remembers. */
final class CaptureFixture {

    static final Instant NOW = Instant.parse("2026-11-30T10:00:00Z");
    static final String TOKEN = "phc_demo";
    static final ProjectId PROJECT = new ProjectId(1);
    static final ProjectId OTHER_PROJECT = new ProjectId(2);
    static final Map<String, ProjectId> TOKENS = Map.of(TOKEN, PROJECT, "phc_other", OTHER_PROJECT);
    static final CaptureLimits LIMITS = CaptureLimits.forHeap(512L << 20);

    final MemoryDoor door = new MemoryDoor();
    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    final BodyBudget budget;
    final CaptureRecord record;
    final CaptureLimits limits;
    private final CaptureEndpoint endpoint;
    private final CaptureEndpoint engage;

    CaptureFixture() {
        this(LIMITS);
    }

    CaptureFixture(CaptureLimits limits) {
        this.limits = limits;
        budget = new BodyBudget(limits.inFlightBytesMax());
        record = new CaptureRecord(new CaptureMetrics(registry, budget));
        Capture capture = new Capture(
                token -> Optional.ofNullable(TOKENS.get(token)), door, limits, InstantSource.fixed(NOW), record);
        endpoint = new CaptureEndpoint(capture, record.metrics(), limits, false);
        engage = new CaptureEndpoint(capture, record.metrics(), limits, true);
    }

    static CaptureLimits limits(int wire, int decoded, int event, int nesting, int events, long inFlight) {
        return new CaptureLimits(wire, decoded, event, nesting, events, inFlight, Duration.ofSeconds(10));
    }

    /** What the client sees. */
    HttpAnswer post(String json) {
        return send(json.getBytes(StandardCharsets.UTF_8), null, "application/json", null);
    }

    HttpAnswer engage(String json) {
        return send(engage, json.getBytes(StandardCharsets.UTF_8), null, "application/json", null);
    }

    HttpAnswer send(
            byte[] body, @Nullable String query, @Nullable String contentType, @Nullable String contentEncoding) {
        return send(endpoint, body, query, contentType, contentEncoding);
    }

    private HttpAnswer send(
            CaptureEndpoint to,
            byte[] body,
            @Nullable String query,
            @Nullable String contentType,
            @Nullable String contentEncoding) {
        PublicRequest request =
                new PublicRequest("POST", "/e/", query, contentType, contentEncoding, () -> Slice.of(body.clone()));
        HttpAnswer answer;
        try (BodyBudget.Charge charge = budget.open()) {
            charge.take(body.length);
            answer = to.answer(request, charge);
        } catch (ProblemException e) {
            answer = HttpAnswer.problem(e.problem(), e.detail());
        }
        return answer;
    }

    /** Sends one event of the demo project, made of these members, and returns what was stored. */
    Event stored(String members) {
        door.clear();
        HttpAnswer answer = post("{\"api_key\":\"phc_demo\",\"batch\":[{" + members + "}]}");
        if (door.events().size() != 1) {
            throw new AssertionError("one event should be stored, the answer was " + answer);
        }
        return door.events().getFirst();
    }

    /** Sends one event with these properties and returns them as stored. */
    String storedProperties(String properties) {
        return text(stored("\"event\":\"x\",\"distinct_id\":\"u\",\"properties\":" + properties));
    }

    /** Why an event of these members is rejected; it must be. */
    String rejection(String members) {
        int before = record.rejections().list(PROJECT).size();
        HttpAnswer answer = post("{\"api_key\":\"phc_demo\",\"batch\":[{" + members + "}]}");
        if (answer.problem() != Problem.NO_VALID_EVENT
                || record.rejections().list(PROJECT).size() != before + 1) {
            throw new AssertionError("it should be rejected, the answer was " + answer);
        }
        return record.rejections().list(PROJECT).getFirst().reason();
    }

    static String text(Event event) {
        return new String(event.properties(), StandardCharsets.UTF_8);
    }

    List<Event> events() {
        return door.events();
    }

    double counted(String outcome) {
        return registry.get("porcupine.capture.events")
                .tag("outcome", outcome)
                .counter()
                .count();
    }

    static String ok(int accepted, int duplicates, int rejected) {
        return "{\"status\":\"Ok\",\"accepted\":" + accepted + ",\"duplicates\":" + duplicates + ",\"rejected\":"
                + rejected + "}";
    }

    static byte[] gzip(byte[] plain) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(plain);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
