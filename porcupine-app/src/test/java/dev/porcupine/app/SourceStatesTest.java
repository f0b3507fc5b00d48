package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.testkit.ClickHouseOptions;
import dev.porcupine.testkit.ClickHouseServer;
import dev.porcupine.testkit.ClickHouseUser;
import dev.porcupine.testkit.Fault;
import dev.porcupine.testkit.FaultProxy;
import dev.porcupine.testkit.WireAnswer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/**
 * Every state that history can be found in, set up for real, under a running service and at its start. Where it can't be trusted: nothing
 * unknown is accepted, nothing leaves the queue, nothing is evicted, local duplicates are answered, and the reason is named. Once it can be
 * trusted again, everything goes on without a restart.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
@Tag("long")
class SourceStatesTest {

    private static final String COLUMNS =
            "(project_id UInt64, uuid UUID, revision UInt64, is_deleted UInt8, event String,"
                    + " distinct_id String, timestamp_micros Int64, received_at DateTime64(3, 'UTC'), properties String,"
                    + " index uuid_range toUInt128(uuid) type minmax granularity 1,"
                    + " index uuid_bloom uuid type bloom_filter(0.00001) granularity 1)";

    /** With a cluster of this one server, for the Distributed table. */
    private static final ClickHouseOptions OPTIONS = ClickHouseOptions.defaults()
            .withServerXml("<remote_servers><alone><shard><replica><host>127.0.0.1</host><port>9000</port></replica>"
                    + "</shard></alone></remote_servers>");

    private ClickHouseServer server;
    private FaultProxy proxy;

    @TempDir
    Path folder;

    /**
     * @param finding its code, or empty where the source stays trusted
     * @param apply brings it about
     * @param undo takes it back; null where that is not possible
     * @param settings of the service that differ while the state lasts; such a state is one of a start only
     */
    record State(
            String name,
            String finding,
            Consumer<World> apply,
            @Nullable Consumer<World> undo,
            List<String> settings) {

        @Override
        public String toString() {
            return name;
        }
    }

    /** What a state can be made of. {@code ${t}} stands for the table, {@code ${db}} for its database. */
    record World(ClickHouseServer server, FaultProxy proxy, String database) {

        void sql(String statement) {
            server.endpoint()
                    .as("default", "")
                    .query(statement.replace("${t}", database + ".events").replace("${db}", database));
        }

        void operator(ClickHouseUser operator) {
            server.restart(OPTIONS.withOperator(operator));
        }

        static ClickHouseUser plain() {
            return OPTIONS.operator();
        }
    }

    @BeforeAll
    void start() {
        server = ClickHouseServer.start(OPTIONS);
        proxy = FaultProxy.before(server.url());
    }

    @AfterAll
    void stop() {
        proxy.close();
        server.close();
    }

    /** {@code -Dporcupine.test.state=} runs those alone whose names hold the text. */
    static Stream<State> states() {
        return all().filter(state -> state.name().contains(System.getProperty("porcupine.test.state", "")));
    }

    private static Stream<State> all() {
        return Stream.of(
                trusted("clean table", world -> {}),
                sql("missing table", "source_table_missing", "drop table ${t}", "undrop table ${t}"),
                sql(
                        "renamed table",
                        "source_table_missing",
                        "rename table ${t} to ${db}.o",
                        "rename table ${db}.o to ${t}"),
                state("missing database", "source_table_missing", world -> world.sql("drop database ${db}"), null),
                remade(
                        "plain MergeTree",
                        "source_wrong_engine",
                        COLUMNS + " engine = MergeTree order by (project_id, uuid)"),
                remade("Memory", "source_wrong_engine", "(project_id UInt64, uuid UUID) engine = Memory"),
                remade("view", "source_wrong_engine", "as select 1 as uuid", "view"),
                remade(
                        "Distributed",
                        "source_wrong_engine",
                        COLUMNS.replaceAll(", index.*", ")")
                                + " engine = Distributed('alone', currentDatabase(), 'o')"),
                remade(
                        "Buffer",
                        "source_wrong_engine",
                        COLUMNS.replaceAll(", index.*", ")") + " engine = Buffer('', '', 1, 1, 1, 1, 1, 1, 1)"),
                remade(
                        "is_deleted parameter",
                        "source_wrong_engine",
                        COLUMNS + " engine = ReplacingMergeTree(revision, is_deleted) order by (project_id, uuid)"),
                remade(
                        "other key order",
                        "source_wrong_sorting_key",
                        COLUMNS + " engine = ReplacingMergeTree(revision) order by (uuid, project_id)"),
                remade(
                        "further key column",
                        "source_wrong_sorting_key",
                        COLUMNS + " engine = ReplacingMergeTree(revision) order by (project_id, uuid, event)"),
                remade(
                        "shorter primary key",
                        "source_wrong_clause",
                        COLUMNS
                                + " engine = ReplacingMergeTree(revision) primary key project_id order by (project_id, uuid)"),
                remade(
                        "dropped and made anew",
                        "source_table_replaced",
                        COLUMNS + " engine = ReplacingMergeTree(revision) order by (project_id, uuid)"),
                sql(
                        "exchanged tables",
                        "source_table_replaced",
                        "create table ${db}.o as ${t}; exchange tables ${t} and ${db}.o",
                        "exchange tables ${t} and ${db}.o"),
                sql(
                        "deleting TTL",
                        "source_unrecognised_ttl",
                        "alter table ${t} modify ttl toDateTime(received_at) + interval 10 year",
                        "alter table ${t} remove ttl"),
                sql(
                        "deleting TTL with a condition",
                        "source_unrecognised_ttl",
                        "alter table ${t} modify ttl toDateTime(received_at) + interval 10 year delete where is_deleted = 1",
                        "alter table ${t} remove ttl"),
                sql(
                        "grouping TTL",
                        "source_unrecognised_ttl",
                        "alter table ${t} modify ttl toDateTime(received_at) + interval 10 year group by project_id, uuid set event = any(event)",
                        "alter table ${t} remove ttl"),
                sql(
                        "column TTL",
                        "source_column_ttl",
                        "alter table ${t} modify column properties String ttl toDateTime(received_at) + interval 10 year",
                        "alter table ${t} modify column properties remove ttl"),
                sql(
                        "MOVE TTL that is not configured",
                        "source_unrecognised_ttl",
                        "alter table ${t} modify ttl" + " toDateTime(received_at) + interval 10 year to volume 'cold'",
                        "alter table ${t} remove ttl"),
                configured(
                        "MOVE TTL to another volume",
                        "source_unrecognised_ttl",
                        moving("hot"),
                        "--porcupine.clickhouse.cold-volume=cold",
                        "--porcupine.clickhouse.cold-after=30d"),
                configured(
                        "recognised MOVE TTL",
                        "",
                        moving("cold"),
                        "--porcupine.clickhouse.cold-volume=cold",
                        "--porcupine.clickhouse.cold-after=30d"),
                setting("allow_experimental_replacing_merge_with_cleanup"),
                setting("enable_replacing_merge_with_cleanup_for_min_age_to_force_merge"),
                sql(
                        "cleanup by the server's default",
                        "",
                        "alter table ${t} reset setting allow_experimental_replacing_merge_with_cleanup",
                        null),
                sql(
                        "lost index",
                        "source_index_missing",
                        "alter table ${t} drop index uuid_bloom",
                        "alter table ${t} add index uuid_bloom uuid type bloom_filter(0.00001) granularity 1"),
                sql(
                        "projection",
                        "source_has_projection",
                        "alter table ${t} modify setting deduplicate_merge_projection_mode = 'rebuild';"
                                + " alter table ${t} add projection p (select event order by event)",
                        "alter table ${t} drop projection p"),
                sql("lightweight delete", "source_rows_removed", "delete from ${t} where event = 'none'", null),
                sql("deleting mutation", "source_rows_removed", "alter table ${t} delete where event = 'none'", null),
                sql(
                        "detached partition",
                        "source_rows_removed",
                        "alter table ${t} detach partition all",
                        "alter table ${t} attach partition all"),
                sql(
                        "harmless mutation",
                        "",
                        "alter table ${t} materialize index uuid_bloom; alter table ${t} update event = 'e' where event = 'x'",
                        null),
                policy(
                        "permissive policy for another user",
                        "source_policy_without_exemption",
                        World.plain(),
                        db -> ClickHouseUser.named("reader", "r").withRowFilter(db, "events", "project_id = 7")),
                policy(
                        "policy on the whole database for another user",
                        "source_policy_without_exemption",
                        World.plain(),
                        db -> ClickHouseUser.named("reader", "r").withRowFilter(db, "", "project_id = 7")),
                state(
                        "restricted policy for the operator",
                        "source_policy_without_exemption",
                        world -> world.operator(
                                World.plain().withRowFilter(world.database(), "events", "project_id = 7")),
                        world -> world.operator(World.plain())),
                state(
                        "another user's policy and an unrestricted one",
                        "",
                        world -> world.server()
                                .restart(OPTIONS.withOperator(
                                                World.plain().withRowFilter(world.database(), "events", "1"))
                                        .withUser(ClickHouseUser.named("reader", "r")
                                                .withRowFilter(world.database(), "", "project_id = 7"))),
                        world -> world.operator(World.plain())),
                state(
                        "restrictive policy",
                        "source_restrictive_policy",
                        world -> {
                            world.operator(World.plain().withRowFilter(world.database(), "events", "1"));
                            world.proxy()
                                    .always(
                                            Fault.rewrite(SourceStatesTest::restrictive),
                                            request -> request.mentions("is_restrictive, coalesce"));
                        },
                        world -> {
                            world.proxy().heal();
                            world.operator(World.plain());
                        }),
                marked(
                        "marks of a newer copy of the ledger",
                        "ledger_stale",
                        "any(ledger_id), generateUUIDv4(), 77, toDateTime64('2020-01-01', 3), toDateTime64('2020-01-01', 3)"),
                marked(
                        "marks of another ledger",
                        "history_shared",
                        "generateUUIDv4(), generateUUIDv4(), 77, now64(3), now64(3)"),
                sql(
                        "another thing in the place of the marks",
                        "source_wrong_marks",
                        "rename table ${t}_ledgers to ${db}.m; create view ${t}_ledgers as select * from ${db}.m",
                        "drop view ${t}_ledgers sync; rename table ${db}.m to ${t}_ledgers"),
                sql("deployment from before there were marks", "", "drop table ${t}_ledgers sync", null),
                granted("user without SHOW ROW POLICIES", "SELECT, INSERT ON ${db}.events", "SELECT ON system.*"),
                granted("user without SHOW TABLES", "SHOW ROW POLICIES ON *.*", "SELECT ON system.*"),
                granted(
                        "user who can't see mutations",
                        "SELECT, INSERT ON ${db}.events",
                        "SHOW ROW POLICIES ON *.*",
                        "SELECT ON system.parts"),
                state(
                        "ClickHouse down, later up",
                        "clickhouse_unreachable",
                        world -> world.proxy().refuseConnections(),
                        world -> world.proxy().acceptConnections()),
                state(
                        "ClickHouse hung, later well",
                        "clickhouse_unreachable",
                        world -> world.proxy().always(Fault.hang()),
                        world -> world.proxy().heal()),
                configured("other spelling of the same server", "", world -> {}, "--porcupine.clickhouse.url=${URL}/"),
                configured(
                        "other name of the same server",
                        "source_changed",
                        world -> {},
                        "--porcupine.clickhouse.url=${localhost}"),
                configured(
                        "other database",
                        "source_changed",
                        all("create database ${db}_b; create table ${db}_b.events as ${t}"),
                        "--porcupine.clickhouse.database=${db}_b"),
                configured(
                        "other database without the table",
                        "source_table_missing",
                        world -> {},
                        "--porcupine.clickhouse.database=${db}_c"),
                configured(
                        "other user",
                        "source_changed",
                        world -> {},
                        "--porcupine.clickhouse.username=default",
                        "--porcupine.clickhouse.password="),
                configured("embedded history", "source_changed", world -> {}, "EMBEDDED"),
                configured("limit back to 0", "", world -> {}, "--porcupine.hot-receipt-limit=0"),
                configured(
                        "limit back to 0 and the table gone",
                        "source_table_missing",
                        world -> world.sql("drop table ${t}"),
                        "--porcupine.hot-receipt-limit=0"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("states")
    void holds(State state, CapturedOutput log) {
        World world = new World(server, proxy, server.freshDatabase());
        Path data = folder.resolve("data-" + world.database());
        try (FiniteService service = FiniteService.start(data, proxy.url(), world.database())) {
            service.evictSomething();
            if (state.settings().isEmpty()) {
                state.apply().accept(world);
                assertHolds(state, service, log, 0);
            }
            service.stop();
            if (!state.settings().isEmpty()) {
                state.apply().accept(world);
            }
            int before = log.getAll().length();
            service.startAgain(state.settings().toArray(String[]::new));
            assertHolds(state, service, log, before);
            Consumer<World> undo = state.undo();
            if (!state.finding().isEmpty() && undo != null) {
                undo.accept(world);
                service.awaitTrusted();
                service.assertGoesOn();
            }
        } finally {
            proxy.heal().acceptConnections();
            server.restart(OPTIONS);
        }
    }

    private static void assertHolds(State state, FiniteService service, CapturedOutput log, int logFrom) {
        if (state.finding().isEmpty()) {
            service.awaitTrusted();
            service.assertGoesOn();
        } else {
            service.assertRefuses(state.finding());
            assertThat(log.getAll().substring(logFrom)).contains(state.finding());
        }
    }

    private static State state(String name, String finding, Consumer<World> apply, @Nullable Consumer<World> undo) {
        return new State(name, finding, apply, undo, List.of());
    }

    private static State trusted(String name, Consumer<World> apply) {
        return new State(name, "", apply, null, List.of());
    }

    private static State sql(String name, String finding, String apply, @Nullable String undo) {
        return state(name, finding, all(apply), undo == null ? null : all(undo));
    }

    private static Consumer<World> all(String statements) {
        return world -> List.of(statements.split("; ?")).forEach(world::sql);
    }

    private static State setting(String setting) {
        return sql(
                setting,
                "source_cleanup_enabled",
                "alter table ${t} modify setting " + setting + " = 1",
                "alter table ${t} modify setting " + setting + " = 0");
    }

    /** Another thing under the table's name; the table itself comes back. */
    private static State remade(String name, String finding, String definition) {
        return remade(name, finding, definition, "table");
    }

    private static State remade(String name, String finding, String definition, String kind) {
        return sql(
                name,
                finding,
                "rename table ${t} to ${db}.o; create " + kind + " ${t} "
                        + definition
                                .replace("currentDatabase()", "'${db}'")
                                .replace("Buffer('', ''", "Buffer('${db}', 'o'"),
                "drop " + kind + " ${t} sync; rename table ${db}.o to ${t}");
    }

    /** One more row in the table of marks, made of what is there. */
    private static State marked(String name, String finding, String row) {
        return sql(
                name,
                finding,
                "insert into ${t}_ledgers (ledger_id, epoch, accepted_seq, first_at, last_at) select " + row
                        + " from ${t}_ledgers",
                "alter table ${t}_ledgers delete where accepted_seq = 77 settings mutations_sync = 1");
    }

    private static State granted(String name, String... grants) {
        return state(
                name,
                "source_unauthorised",
                world -> {
                    ClickHouseUser operator = World.plain();
                    for (String grant : grants) {
                        operator = operator.withGrant(grant.replace("${db}", world.database()));
                    }
                    world.operator(operator);
                },
                world -> world.operator(World.plain()));
    }

    private static State policy(
            String name, String finding, ClickHouseUser operator, Function<String, ClickHouseUser> other) {
        return state(
                name,
                finding,
                world -> world.server().restart(OPTIONS.withOperator(operator).withUser(other.apply(world.database()))),
                world -> world.operator(World.plain()));
    }

    private static State configured(String name, String finding, Consumer<World> apply, String... settings) {
        return new State(name, finding, apply, null, List.of(settings));
    }

    private static Consumer<World> moving(String volume) {
        return all("alter table ${t} modify ttl" + " toDateTime(received_at) + toIntervalSecond(2592000) to volume '"
                + volume + "'");
    }

    /** The engine makes no restrictive policy, so the answer about the unrestricted permissive one says that it is one. */
    private static WireAnswer restrictive(WireAnswer answer) {
        String body = new String(answer.body(), StandardCharsets.ISO_8859_1);
        int table = body.lastIndexOf("\u0006events");
        if (table < 0) {
            return answer;
        }
        byte[] changed = answer.body();
        changed[table + 7] = 1;
        return answer.withBody(changed);
    }
}
