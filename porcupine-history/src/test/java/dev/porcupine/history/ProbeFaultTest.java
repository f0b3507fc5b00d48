package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.Fault;
import dev.porcupine.testkit.FaultProxy;
import dev.porcupine.testkit.SharedClickHouse;
import dev.porcupine.testkit.WireAnswer;
import dev.porcupine.testkit.WireRequest;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A known identity behind a server or a wire that misbehaves: the probe may fail, it must never say "absent". */
@Timeout(240)
class ProbeFaultTest {

    private static final Predicate<WireRequest> PROBES =
            request -> new String(request.body(), StandardCharsets.UTF_8).startsWith(ProbeStatement.MARKER);

    private static final String EMPTY_ENVELOPE = """
            {"meta":[{"name":"project_id","type":"UInt64"},{"name":"uuid","type":"UUID"}],"data":[],"rows":0,\
            "statistics":{"elapsed":0.01,"rows_read":0,"bytes_read":0}}""";

    private final ClickHouseEndpoint server = SharedClickHouse.endpoint();
    private final String database = server.freshDatabase();
    private final FaultProxy proxy = FaultProxy.before(server.url());
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Event known = Sample.event(Sample.freshProject());
    private final History history = Histories.clickHouse(
            new ClickHouseSettings(proxy.url(), database, "events", server.user(), server.password(), null, null, null),
            registry);
    private final VerifiedSource source = ((Verification.Verified) history.verify()).source();

    @BeforeEach
    void insertTheKnown() {
        assertThat(history.insert(source, List.of(known))).isInstanceOf(InsertResult.Acknowledged.class);
    }

    @AfterEach
    void close() {
        history.close();
        proxy.close();
        server.query("drop database if exists " + database);
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                Arguments.of("reset", Fault.reset(), ProbeFailure.OUTAGE),
                Arguments.of("cut request", Fault.cutRequest(200), ProbeFailure.OUTAGE),
                Arguments.of("cut after the answer", Fault.cutAfterUpstream(), ProbeFailure.OUTAGE),
                Arguments.of("hung", Fault.hang(), ProbeFailure.DEADLINE),
                Arguments.of("hung after the answer", Fault.hangAfterUpstream(), ProbeFailure.DEADLINE),
                Arguments.of("truncated in the head", Fault.truncateAnswer(40), ProbeFailure.OUTAGE),
                Arguments.of("slow drip", Fault.dripAnswer(1, Duration.ofMillis(50)), ProbeFailure.DEADLINE),
                Arguments.of("html with 200", rewritten("<html>It works!</html>"), ProbeFailure.INCOMPLETE),
                Arguments.of("foreign html with 200", scripted(200, "text/html", "<html/>"), ProbeFailure.INCOMPLETE),
                Arguments.of(
                        "foreign empty envelope",
                        scripted(200, "application/json", EMPTY_ENVELOPE),
                        ProbeFailure.INCOMPLETE),
                Arguments.of("empty body with 200", rewritten(""), ProbeFailure.INCOMPLETE),
                Arguments.of("json cut", rewritten(EMPTY_ENVELOPE.substring(0, 100)), ProbeFailure.INCOMPLETE),
                Arguments.of(
                        "envelope without rows",
                        rewritten("{\"meta\":[],\"rows\":0,\"statistics\":{}}"),
                        ProbeFailure.INCOMPLETE),
                Arguments.of(
                        "exception text after a 200 header",
                        rewritten(EMPTY_ENVELOPE + "Code: 241. DB::Exception: Memory limit exceeded"),
                        ProbeFailure.INCOMPLETE),
                Arguments.of("503", scripted(503, "text/plain", "busy"), ProbeFailure.INCOMPLETE),
                Arguments.of("502 html", scripted(502, "text/html", "<html/>"), ProbeFailure.INCOMPLETE),
                Arguments.of(
                        "redirect",
                        Fault.answer(
                                WireAnswer.of(302, "text/plain", "").withHeader("Location", "http://127.0.0.1:1/")),
                        ProbeFailure.INCOMPLETE),
                Arguments.of("oversized", rewritten("x".repeat(3 << 20)), ProbeFailure.LIMIT));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void misbehaving_wire_never_makes_a_known_identity_absent(String name, Fault fault, ProbeFailure expected) {
        proxy.always(fault, PROBES);
        assertThat(probe())
                .isInstanceOfSatisfying(
                        ProbeResult.Failed.class,
                        failed ->
                                assertThat(failed.failure()).as(failed.detail()).isEqualTo(expected));
        proxy.heal();
        assertThat(probe()).isEqualTo(new ProbeResult.Complete(Set.of(known.identity())));
    }

    @Test
    void refused_connection_is_an_outage() {
        proxy.refuseConnections();
        assertThat(failure()).isEqualTo(ProbeFailure.OUTAGE);
        proxy.acceptConnections();
        assertThat(probe()).isEqualTo(new ProbeResult.Complete(Set.of(known.identity())));
    }

    @Test
    void envelope_for_another_question_is_incomplete() {
        proxy.always(
                Fault.rewrite(answer -> answer.withBody(new String(answer.body(), StandardCharsets.UTF_8)
                        .replace(
                                known.identity().uuid().toString(),
                                Sample.freshUuid().toString()))),
                PROBES);
        assertThat(failure()).isEqualTo(ProbeFailure.INCOMPLETE);
    }

    @Test
    void identity_check_that_gets_no_answer_voids_the_probe() {
        proxy.always(Fault.reset(), PROBES.negate());
        assertThat(failure()).isEqualTo(ProbeFailure.SOURCE_CHANGED);
    }

    @Test
    void table_exchanged_under_the_probe_voids_it() {
        server.query("create table " + database + ".other as " + database + ".events");
        server.query("exchange tables " + database + ".other and " + database + ".events");
        assertThat(failure()).isEqualTo(ProbeFailure.SOURCE_CHANGED);
    }

    @Test
    void dropped_table_is_a_changed_source() {
        server.query("drop table " + database + ".events sync");
        assertThat(failure()).isEqualTo(ProbeFailure.SOURCE_CHANGED);
    }

    @Test
    void lost_index_is_refused_instead_of_scanned() {
        server.query("alter table " + database + ".events drop index uuid_bloom");
        assertThat(failure()).isEqualTo(ProbeFailure.SOURCE_CHANGED);
    }

    @Test
    void every_failure_is_counted() {
        proxy.always(Fault.reset(), PROBES);
        assertThat(failure()).isEqualTo(ProbeFailure.OUTAGE);
        proxy.heal();
        assertThat(probe()).isInstanceOf(ProbeResult.Complete.class);
        assertThat(count("outage")).isEqualTo(1);
        assertThat(count("complete")).isEqualTo(1);
        assertThat(registry.get("porcupine.probe.read.rows").summary().count()).isEqualTo(1);
    }

    private double count(String outcome) {
        return registry.get("porcupine.probe.requests")
                .tag("outcome", outcome)
                .counter()
                .count();
    }

    private ProbeFailure failure() {
        return ((ProbeResult.Failed) probe()).failure();
    }

    private ProbeResult probe() {
        EventIdentity absent = new EventIdentity(known.identity().project(), EventUuid.of(java.util.UUID.randomUUID()));
        return history.probe(source, Set.of(known.identity(), absent), Duration.ofSeconds(3), ProbePurpose.CAPTURE);
    }

    /** ClickHouse's own headers, another body. */
    private static Fault rewritten(String body) {
        return Fault.rewrite(answer -> answer.withBody(body));
    }

    private static Fault scripted(int status, String type, String body) {
        return Fault.answer(WireAnswer.of(status, type, body));
    }
}
