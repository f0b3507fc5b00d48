package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.porcupine.history.HttpOutcome.Broken;
import dev.porcupine.history.HttpOutcome.Reason;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.LedgerMark;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.Fault;
import dev.porcupine.testkit.Fault.Delivery;
import dev.porcupine.testkit.FaultProxy;
import dev.porcupine.testkit.SharedClickHouse;
import dev.porcupine.testkit.WireAnswer;
import dev.porcupine.testkit.WireRequest;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A connection, proxy or server that misbehaves: never an acknowledgement, never part of an answer, never a second request. */
@Timeout(240)
class ClickHouseFaultTest {

    private static final ClickHouseDeadlines SHORT = new ClickHouseDeadlines(
            Duration.ofSeconds(2), Duration.ofSeconds(2), Duration.ofSeconds(2), Duration.ofSeconds(2));

    private static final String HTML = "<html>Welcome to the load balancer</html>";

    private final ClickHouseEndpoint server = SharedClickHouse.endpoint();
    private final String database = server.freshDatabase();
    private final ProjectId project = Sample.freshProject();
    private FaultProxy proxy;
    private History history;

    @BeforeEach
    void open() {
        proxy = FaultProxy.before(server.url());
        history = new ClickHouseHistory(
                new ClickHouseSettings(
                        proxy.url(), database, "events", server.user(), server.password(), null, null, null),
                SHORT,
                new SimpleMeterRegistry(),
                () -> Reliance.NONE,
                null,
                OwnRemovals.NONE);
    }

    @AfterEach
    void close() {
        history.close();
        proxy.close();
        server.query("drop database if exists " + database);
    }

    static Stream<Named<Fault>> faults() {
        return Stream.of(
                Named.of("hangs", Fault.hang()),
                Named.of("hangs after upstream", Fault.hangAfterUpstream()),
                Named.of("reset", Fault.reset()),
                Named.of("reset within the request", Fault.cutRequest(900)),
                Named.of("reset after upstream", Fault.cutAfterUpstream()),
                Named.of("closed without an answer", Fault.truncateAnswer(0)),
                Named.of("cut within the head", Fault.truncateAnswer(40)),
                Named.of(
                        "cut before the last byte",
                        Fault.rewrite(answer -> answer.withBody(body(answer) + "x"))
                                .delivered(new Delivery.Truncated(1_100))),
                Named.of("slow drip", Fault.dripAnswer(1, Duration.ofMillis(300))),
                Named.of("HTML with 200", Fault.answer(WireAnswer.of(200, "text/html", HTML))),
                Named.of("empty 200", Fault.answer(WireAnswer.of(200, "text/plain", ""))),
                Named.of(
                        "redirect",
                        Fault.answer(
                                WireAnswer.of(302, "text/html", HTML).withHeader("Location", "http://127.0.0.1:1/"))),
                Named.of("502", Fault.answer(WireAnswer.of(502, "text/html", HTML))),
                Named.of(
                        "503",
                        Fault.answer(WireAnswer.of(503, "text/html", HTML).withHeader("Retry-After", "0"))),
                Named.of(
                        "401",
                        Fault.answer(WireAnswer.of(401, "text/html", HTML)
                                .withHeader("WWW-Authenticate", "Basic realm=\"x\""))),
                Named.of("another status", Fault.rewrite(answer -> answer.withStatus(206))),
                Named.of(
                        "another query's answer",
                        Fault.rewrite(answer ->
                                answer.withHeader("X-ClickHouse-Query-Id", "00000000-0000-0000-0000-000000000000"))),
                Named.of(
                        "exception behind a 200",
                        Fault.rewrite(answer -> answer.withHeader("X-ClickHouse-Exception-Code", "241"))),
                Named.of(
                        "unreadable exception code",
                        Fault.rewrite(answer -> answer.withHeader("X-ClickHouse-Exception-Code", "lots"))),
                Named.of("no summary", Fault.rewrite(answer -> answer.withHeader("X-ClickHouse-Summary", "{}"))),
                Named.of(
                        "a summary of no rows",
                        Fault.rewrite(answer -> answer.withHeader(
                                "X-ClickHouse-Summary", "{\"written_rows\":\"0\",\"result_rows\":\"0\"}"))),
                Named.of("too large", Fault.rewrite(answer -> answer.withBody(new byte[40 * 1024 * 1024]))));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void a_broken_insert_is_unknown_is_sent_once_and_can_be_repeated(Fault fault) {
        VerifiedSource source = source();
        List<Event> events = Sample.events(project, 50);
        long before = proxy.requests();
        proxy.always(fault, ClickHouseFaultTest::isInsert);

        assertThat(history.insert(source, events)).isInstanceOf(InsertResult.Unknown.class);

        assertThat(proxy.requests() - before).isOne();
        proxy.heal();
        assertThat(history.insert(source, events)).isEqualTo(new InsertResult.Acknowledged());
        assertThat(history.count(project)).isEqualTo(50);
    }

    /** One of each kind: a mark takes the same way as an insert. */
    static Stream<Named<Fault>> markFaults() {
        Set<String> names = Set.of("reset after upstream", "HTML with 200", "exception behind a 200", "no summary");
        return faults().filter(fault -> names.contains(fault.getName()));
    }

    @ParameterizedTest
    @MethodSource("markFaults")
    void a_broken_mark_is_unknown_and_is_sent_once(Fault fault) {
        VerifiedSource source = source();
        LedgerMark mark = new LedgerMark(UUID.randomUUID(), UUID.randomUUID(), 7);
        long before = proxy.requests();
        proxy.always(fault);

        assertThat(history.mark(source, mark)).isInstanceOf(MarkResult.Unknown.class);

        assertThat(proxy.requests() - before).isOne();
        proxy.heal();
        assertThat(history.mark(source, mark)).isEqualTo(new MarkResult.Acknowledged());
        assertThat(server.query("select max(accepted_seq) from " + database + ".events_ledgers"))
                .isEqualTo("7");
    }

    @ParameterizedTest
    @MethodSource("identityFaults")
    void a_broken_check_of_the_tables_identity_makes_the_insert_unknown(Fault fault) {
        VerifiedSource source = source();
        proxy.always(fault, ClickHouseFaultTest::isIdentityCheck);

        assertThat(history.insert(source, Sample.events(project, 5))).isInstanceOf(InsertResult.Unknown.class);
    }

    /** Without those of the summary: the one row that is wanted came, whatever was announced. */
    static Stream<Named<Fault>> identityFaults() {
        return faults().filter(fault -> !fault.getName().contains("summary"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void a_broken_read_throws_and_is_sent_once(Fault fault) {
        insert(Sample.events(project, 50));
        long before = proxy.requests();
        proxy.always(fault);

        assertThat(catchThrowableOfType(HistoryReadException.class, () -> history.page(Sample.firstPage(project, 100))))
                .isNotNull();

        assertThat(proxy.requests() - before).isOne();
        proxy.heal();
        assertThat(history.page(Sample.firstPage(project, 100))).hasSize(50);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void a_broken_second_step_of_a_page_throws(Fault fault) {
        insert(Sample.events(project, 50));
        proxy.always(fault, request -> request.mentions("uuid in ("));

        assertThat(catchThrowableOfType(HistoryReadException.class, () -> history.page(Sample.firstPage(project, 100))))
                .isNotNull();
    }

    @ParameterizedTest
    @MethodSource("verificationFaults")
    void a_broken_look_is_refused_within_the_deadline(Fault fault) {
        proxy.always(fault);

        assertThat(history.verify()).isInstanceOf(Verification.Refused.class);

        proxy.heal();
        source();
    }

    /** Without those that only change headers which the JDBC driver doesn't read. */
    static Stream<Named<Fault>> verificationFaults() {
        return faults().filter(fault -> !List.of(
                        "another status",
                        "another query's answer",
                        "no summary",
                        "a summary of no rows",
                        "unreadable exception code",
                        "cut before the last byte",
                        "exception behind a 200",
                        "reset within the request")
                .contains(fault.getName()));
    }

    @Test
    void an_insert_that_only_lost_its_answer_is_stored_once_after_the_repetition() {
        VerifiedSource source = source();
        List<Event> events = Sample.events(project, 50);
        proxy.next(1, Fault.cutAfterUpstream(), ClickHouseFaultTest::isInsert);

        assertThat(history.insert(source, events)).isInstanceOf(InsertResult.Unknown.class);
        assertThat(history.count(project)).as("it had been written").isEqualTo(50);
        assertThat(history.insert(source, events)).isEqualTo(new InsertResult.Acknowledged());
        assertThat(history.count(project)).isEqualTo(50);
    }

    @Test
    void a_batch_cut_on_its_way_leaves_no_part_that_counts_as_an_acknowledgement() {
        VerifiedSource source = source();
        List<Event> events = Sample.events(project, 5_000);
        proxy.next(1, Fault.cutRequest(300_000), ClickHouseFaultTest::isInsert);

        assertThat(history.insert(source, events)).isInstanceOf(InsertResult.Unknown.class);
        assertThat(history.insert(source, events)).isEqualTo(new InsertResult.Acknowledged());
        assertThat(history.count(project)).isEqualTo(5_000);
    }

    @Test
    void an_answer_with_fewer_rows_than_it_announces_is_not_taken() {
        insert(Sample.events(project, 1));
        proxy.always(Fault.rewrite(answer -> answer.withBody(new byte[0])));

        assertThat(catchThrowableOfType(
                        HistoryReadException.class,
                        () -> history.find(Sample.event(project).identity())))
                .as("an empty answer that announces no row is an answer")
                .isNull();
        assertThat(catchThrowableOfType(HistoryReadException.class, () -> history.page(Sample.firstPage(project, 9))))
                .isNotNull();
    }

    @Test
    void no_address_ever_holds_the_password() {
        Queue<String> targets = new ConcurrentLinkedQueue<>();
        proxy.always(Fault.delay(Duration.ZERO), request -> {
            targets.add(request.target());
            return false;
        });

        insert(Sample.events(project, 1));
        history.count(project);

        assertThat(targets)
                .hasSizeGreaterThan(3)
                .allSatisfy(target ->
                        assertThat(target).doesNotContain(server.password()).doesNotContainIgnoringCase("password"));
    }

    @Test
    void the_cap_the_deadline_and_the_close_each_end_an_exchange_at_once() throws Exception {
        ClickHouseSettings settings = new ClickHouseSettings(
                server.url(), database, "events", server.user(), server.password(), null, null, null);
        try (ClickHouseHttp http = new ClickHouseHttp(settings)) {
            assertThat(http.exchange(request("select repeat('x', 100000)", Duration.ofSeconds(5))))
                    .isInstanceOfSatisfying(
                            Broken.class, broken -> assertThat(broken.reason()).isEqualTo(Reason.TOO_LARGE));
            assertThat(http.exchange(request(
                            "select sum(sleep(0.5)) from numbers(60) settings max_block_size = 1",
                            Duration.ofMillis(300))))
                    .isInstanceOfSatisfying(
                            Broken.class, broken -> assertThat(broken.reason()).isEqualTo(Reason.DEADLINE));
            Thread.currentThread().interrupt();
            assertThat(http.exchange(request(
                            "select sum(sleep(0.5)) from numbers(60) settings max_block_size = 1",
                            Duration.ofSeconds(30))))
                    .isInstanceOfSatisfying(
                            Broken.class, broken -> assertThat(broken.reason()).isEqualTo(Reason.ABANDONED));
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    private static ClickHouseRequest request(String sql, Duration deadline) {
        return new ClickHouseRequest(Map.of("readonly", "2"), BodyPublishers.ofString(sql), deadline, 50_000);
    }

    private static boolean isInsert(WireRequest request) {
        return request.target().contains("insert+into");
    }

    private static boolean isIdentityCheck(WireRequest request) {
        return request.mentions("as stamp") && request.mentions("format RowBinary");
    }

    private static String body(WireAnswer answer) {
        return answer.bodyText();
    }

    private VerifiedSource source() {
        Verification verification = history.verify();
        assertThat(verification).isInstanceOf(Verification.Verified.class);
        return ((Verification.Verified) verification).source();
    }

    private void insert(List<Event> events) {
        assertThat(history.insert(source(), events)).isEqualTo(new InsertResult.Acknowledged());
    }
}
