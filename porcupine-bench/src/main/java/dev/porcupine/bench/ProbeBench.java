package dev.porcupine.bench;

import dev.porcupine.history.ClickHouseSettings;
import dev.porcupine.history.Histories;
import dev.porcupine.history.History;
import dev.porcupine.history.ProbePurpose;
import dev.porcupine.history.ProbeResult;
import dev.porcupine.history.Verification;
import dev.porcupine.history.VerifiedSource;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.testkit.ClickHouseServer;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Prints what a probe costs a real ClickHouse: rows and bytes read by its own statistics, milliseconds of the whole lookup, which looks at
 * the table's stamp afterwards; the probe's own milliseconds, CPU time and memory by the server's query log. Arguments: rows, partitions, probes of each kind; then {@code explain} adds which index left how many granules, {@code only=v4} takes
 * one kind of history, {@code granularity=1024/8} makes the table with another granularity and that of its indexes.
 */
public final class ProbeBench {

    private static final ProjectId PROJECT = new ProjectId(1);
    private static final Duration LOAD_WITHIN = Duration.ofMinutes(20);
    private static final Duration PROBE_WITHIN = Duration.ofSeconds(5);
    private static final int LOOKS_MAX = 10;
    private static final String MARKER = "/* porcupine:receipts */";

    private final ClickHouseServer server;
    private final long rows;
    private final int partitions;
    private final int probes;
    private final List<String> options;
    private final SplittableRandom random = new SplittableRandom(20_261_201);

    private ProbeBench(ClickHouseServer server, long rows, int partitions, int probes, List<String> options) {
        this.server = server;
        this.rows = rows;
        this.partitions = partitions;
        this.probes = probes;
        this.options = options;
    }

    public static void main(String[] arguments) {
        if (arguments.length < 3) {
            System.err.println("arguments: <rows> <partitions> <probes of each kind> [explain]");
            System.exit(2);
        }
        try (ClickHouseServer server = ClickHouseServer.start()) {
            new ProbeBench(
                            server,
                            Long.parseLong(arguments[0]),
                            Integer.parseInt(arguments[1]),
                            Integer.parseInt(arguments[2]),
                            List.of(arguments).subList(3, arguments.length))
                    .run();
        }
    }

    private void run() {
        System.out.printf(
                Locale.ROOT,
                "%,d rows, %d partitions, %d probes of each kind, ClickHouse %s%n",
                rows,
                partitions,
                probes,
                server.query("select version()"));
        System.out.println(
                "| history | probe | rows read | MB read | ms median | ms worst | server ms | CPU ms | memory MiB, worst |");
        System.out.println("|---|---|---|---|---|---|---|---|---|");
        measure("v4", "generateUUIDv4()", List.of(new Kind("100 new v4", 100, 4), new Kind("100 known", 100, 0)));
        measure(
                "v7",
                "dateTimeToUUIDv7(t)",
                List.of(new Kind("500 new v7, later", 500, 7), new Kind("100 known", 100, 0)));
        measure(
                "v4 and v7",
                "if(cityHash64(number) % 2 = 0, generateUUIDv4(), dateTimeToUUIDv7(t))",
                List.of(
                        new Kind("100 new v4", 100, 4),
                        new Kind("500 new v4", 500, 4),
                        new Kind("500 new v7, later", 500, 7),
                        new Kind("500 known", 500, 0)));
    }

    /**
     * @param version of the UUIDs asked for; 0 takes those of the history
     */
    private record Kind(String name, int identities, int version) {}

    private void measure(String historyName, String uuid, List<Kind> kinds) {
        String only = option("only=");
        if (!only.isEmpty() && !only.equals(historyName)) {
            return;
        }
        String database = server.freshDatabase();
        String granularity = option("granularity=");
        if (!granularity.isEmpty()) {
            createTable(database, granularity.split("/", 2));
        }
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (History history = Histories.clickHouse(
                new ClickHouseSettings(
                        server.url(), database, "events", server.user(), server.password(), null, null, null),
                registry)) {
            VerifiedSource source = verified(history);
            load(database, uuid);
            List<EventUuid> known = sample(database);
            DistributionSummary rowsRead =
                    registry.get("porcupine.probe.read.rows").summary();
            DistributionSummary bytesRead = registry.get("porcupine.probe.read").summary();
            for (Kind kind : kinds) {
                // Code and file cache: what a service that runs for days has.
                for (int i = 0; i < Math.min(20, probes); i++) {
                    ask(history, source, kind, known);
                }
                String from = server.query("select toString(now64(6))");
                double rowsBefore = rowsRead.totalAmount();
                double bytesBefore = bytesRead.totalAmount();
                double[] millis = new double[probes];
                for (int i = 0; i < probes; i++) {
                    long start = System.nanoTime();
                    ask(history, source, kind, known);
                    millis[i] = (System.nanoTime() - start) / 1e6;
                }
                Arrays.sort(millis);
                System.out.printf(
                        Locale.ROOT,
                        "| %s | %s | %,.0f | %.2f | %.1f | %.1f | %s |%n",
                        historyName,
                        kind.name(),
                        (rowsRead.totalAmount() - rowsBefore) / probes,
                        (bytesRead.totalAmount() - bytesBefore) / probes / 1e6,
                        millis[probes / 2],
                        millis[probes - 1],
                        byQueryLog(from));
                if (options.contains("explain")) {
                    explain(from);
                }
            }
        }
        server.endpoint().query("drop database " + database + " sync", LOAD_WITHIN);
    }

    private String option(String name) {
        return options.stream()
                .filter(option -> option.startsWith(name))
                .map(option -> option.substring(name.length()))
                .findFirst()
                .orElse("");
    }

    /** As the release does, but for the granularities. */
    private void createTable(String database, String[] granularities) {
        try (InputStream text = EventIdentity.class.getResourceAsStream("/clickhouse/create-events.sql")) {
            if (text == null) {
                throw new IllegalStateException("no create-events.sql on the class path");
            }
            server.query(new String(text.readAllBytes(), StandardCharsets.UTF_8)
                    .replace("${table}", database + ".events")
                    .replace("${ttl}", "")
                    .replace("${policy}", "")
                    .replace("index_granularity = 1536", "index_granularity = " + granularities[0])
                    .replace("granularity 1", "granularity " + granularities[1]));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A cold JVM on a busy machine may need more than one look. */
    private static VerifiedSource verified(History history) {
        Verification last = history.verify();
        for (int look = 1; look < LOOKS_MAX && !(last instanceof Verification.Verified); look++) {
            last = history.verify();
        }
        return switch (last) {
            case Verification.Verified verified -> verified.source();
            case Verification.Refused refused -> throw new IllegalStateException(refused.toString());
        };
    }

    private void load(String database, String uuid) {
        server.endpoint()
                .query(
                        "insert into " + database + ".events"
                                + " (project_id, uuid, revision, is_deleted, event, distinct_id, timestamp_micros, received_at,"
                                + " properties)"
                                + " with toDateTime('2023-01-01 00:00:00', 'UTC')"
                                + " + toIntervalMonth(intDiv(number * " + partitions + ", " + rows + "))"
                                + " + toIntervalSecond(intDiv(number * " + partitions + " % " + rows + " * 2419200, "
                                + rows
                                + ")) as t"
                                + " select " + PROJECT.value() + ", " + uuid
                                + ", 1, 0, 'order placed', 'user', 0, t, '{}'"
                                + " from numbers(" + rows + ")"
                                + " settings max_partitions_per_insert_block = 0, max_insert_block_size = 500000",
                        LOAD_WITHIN);
        server.endpoint().query("optimize table " + database + ".events final", LOAD_WITHIN);
    }

    private List<EventUuid> sample(String database) {
        return server.endpoint()
                .query(
                        "select uuid from " + database + ".events where cityHash64(uuid) % "
                                + Math.max(1, rows / 100_000) + " = 0",
                        LOAD_WITHIN)
                .lines()
                .map(text -> EventUuid.parse(text).orElseThrow())
                .toList();
    }

    private void ask(History history, VerifiedSource source, Kind kind, List<EventUuid> known) {
        Set<EventIdentity> identities = HashSet.newHashSet(kind.identities());
        while (identities.size() < kind.identities()) {
            identities.add(new EventIdentity(
                    PROJECT,
                    switch (kind.version()) {
                        case 0 -> known.get(random.nextInt(known.size()));
                        case 4 -> new EventUuid((random.nextLong() & 0xFFFF_FFFF_FFFF_0FFFL) | 0x4000L, variant());
                        default ->
                            new EventUuid(
                                    (System.currentTimeMillis() << 16) | 0x7000L | random.nextInt(0x1000), variant());
                    }));
        }
        ProbeResult result = history.probe(source, identities, PROBE_WITHIN, ProbePurpose.CAPTURE);
        int expected = kind.version() == 0 ? identities.size() : 0;
        if (!(result instanceof ProbeResult.Complete(Set<EventIdentity> found)) || found.size() != expected) {
            throw new IllegalStateException("wanted " + expected + " known of " + kind + ", got " + result);
        }
    }

    private long variant() {
        return (random.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
    }

    private String byQueryLog(String from) {
        server.query("system flush logs");
        return server.query(
                        "select round(median(query_duration_ms), 1), round(median(ProfileEvents['UserTimeMicroseconds'] + ProfileEvents['SystemTimeMicroseconds']) / 1000, 1),"
                                + " round(max(memory_usage) / 1048576, 1) from system.query_log where type = 'QueryFinish' and startsWith(query, '"
                                + MARKER + "') and event_time_microseconds >= toDateTime64('" + from + "', 6)")
                .replace("\t", " | ");
    }

    private void explain(String from) {
        String query = server.query(
                "select base64Encode(query) from system.query_log where type = 'QueryFinish' and startsWith(query, '"
                        + MARKER + "') and event_time_microseconds >= toDateTime64('" + from + "', 6) limit 1");
        String sql = new String(Base64.getDecoder().decode(query), StandardCharsets.UTF_8)
                .replace(" format JSONCompact", "");
        List<String> lines = new ArrayList<>();
        server.query("explain indexes = 1 " + sql)
                .lines()
                .filter(line -> line.matches(".*(PrimaryKey|Skip|Name|Parts|Granules|Search Algorithm).*"))
                .forEach(line -> lines.add("  " + line.strip()));
        System.out.println(String.join(System.lineSeparator(), lines));
    }
}
