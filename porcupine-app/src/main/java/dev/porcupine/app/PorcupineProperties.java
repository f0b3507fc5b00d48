package dev.porcupine.app;

import dev.porcupine.history.ClickHouseSettings;
import dev.porcupine.ingest.CaptureLimits;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Everything an operator can set, each also from the environment ({@code PORCUPINE_QUEUE_MAX_EVENTS}). Checked while it is bound: a
 * bad value stops start-up.
 *
 * @param dataDir where the ledger, the embedded history and the generated admin token live; one process at a time
 * @param hotReceiptLimit how many receipts stay in SQLite; 0 keeps all of them
 * @param queue budgets of accepted events that history has not acknowledged yet
 * @param capture what capture requests may cost
 * @param adminToken bearer token of the admin API; generated once into the data directory when unset
 * @param clickhouse where history is kept; unset: in the data directory
 */
@ConfigurationProperties("porcupine")
public record PorcupineProperties(
        @DefaultValue("./data") String dataDir,
        @DefaultValue("0") HotReceiptLimit hotReceiptLimit,
        @DefaultValue Queue queue,
        @DefaultValue Capture capture,
        @Nullable String adminToken,
        @DefaultValue ClickHouse clickhouse) {

    private static final Pattern VISIBLE_ASCII = Pattern.compile("[!-~]+");

    public PorcupineProperties {
        hotReceiptLimit.requireHistory(clickhouse.settings().isPresent());
        if (dataDir.isBlank()) {
            throw new SettingException(
                    "porcupine.data-dir is empty.", "Set it to a directory that only Porcupine uses.");
        }
        if (adminToken != null && !VISIBLE_ASCII.matcher(adminToken).matches()) {
            throw new SettingException(
                    "porcupine.admin-token is empty or has a character that an Authorization header can't carry.",
                    "Use visible ASCII characters without spaces, or remove the setting to have a token generated.");
        }
    }

    /** Not bound as a path: Spring would first look for a resource of that name on the class path. */
    Path directory() {
        return Path.of(dataDir).toAbsolutePath().normalize();
    }

    /** Without the admin token: this text may reach logs. */
    @Override
    public String toString() {
        return "PorcupineProperties[" + dataDir + ", " + hotReceiptLimit + ", " + queue + ", " + clickhouse + "]";
    }

    /**
     * @param maxEvents events in the queue; more are refused with 503 until some are delivered
     * @param maxBytes bytes of payload in the queue
     */
    public record Queue(
            @DefaultValue("1000000") long maxEvents,
            @DefaultValue("2GB") DataSize maxBytes) {

        public Queue {
            if (maxEvents < 1) {
                throw new SettingException(
                        "porcupine.queue.max-events is " + maxEvents + ", which leaves no room for any event.",
                        "Set it to 1 or more; the default is 1000000.");
            }
            if (maxBytes.toBytes() < 1) {
                throw new SettingException(
                        "porcupine.queue.max-bytes is " + maxBytes + ", which leaves no room for any event.",
                        "Set it to a positive size such as 2GB.");
            }
        }
    }

    /**
     * @param maxBodyBytes bytes of a request's body as sent; more is answered with 413
     * @param maxDecodedBytes bytes that decoding one body may produce in all
     * @param maxEventBytes bytes of one event; a larger one is rejected, its siblings are not
     * @param maxNesting JSON containers inside one another in one event
     * @param maxBatchEvents events in one request
     * @param maxInFlightBytes bytes that all requests may hold at once, more are refused with 503; unset: a share of the heap
     * @param bodyDeadline from a request's head to the last byte of its body
     */
    public record Capture(
            @DefaultValue("20MB") DataSize maxBodyBytes,
            @DefaultValue("100MB") DataSize maxDecodedBytes,
            @DefaultValue("1MB") DataSize maxEventBytes,
            @DefaultValue("128") int maxNesting,
            @DefaultValue("10000") int maxBatchEvents,
            @Nullable DataSize maxInFlightBytes,
            @DefaultValue("10s") Duration bodyDeadline) {

        public Capture {
            requirePositive("max-body-bytes", maxBodyBytes.toBytes(), Integer.MAX_VALUE);
            requirePositive("max-decoded-bytes", maxDecodedBytes.toBytes(), Integer.MAX_VALUE);
            requirePositive("max-event-bytes", maxEventBytes.toBytes(), Integer.MAX_VALUE);
            requirePositive("max-nesting", maxNesting, Integer.MAX_VALUE);
            requirePositive("max-batch-events", maxBatchEvents, Integer.MAX_VALUE);
            if (maxInFlightBytes != null) {
                requirePositive("max-in-flight-bytes", maxInFlightBytes.toBytes(), Long.MAX_VALUE);
            }
            requirePositive("body-deadline in milliseconds", bodyDeadline.toMillis(), Integer.MAX_VALUE);
        }

        CaptureLimits limits(long heapBytesMax) {
            return new CaptureLimits(
                    Math.toIntExact(maxBodyBytes.toBytes()),
                    Math.toIntExact(maxDecodedBytes.toBytes()),
                    Math.toIntExact(maxEventBytes.toBytes()),
                    maxNesting,
                    maxBatchEvents,
                    maxInFlightBytes == null
                            ? CaptureLimits.forHeap(heapBytesMax).inFlightBytesMax()
                            : maxInFlightBytes.toBytes(),
                    bodyDeadline);
        }

        private static void requirePositive(String name, long value, long max) {
            if (value < 1 || value > max) {
                throw new SettingException(
                        "porcupine.capture." + name + " is " + value + ".", "Set it to a value from 1 to " + max + ".");
            }
        }
    }

    /**
     * @param url http or https address of the server; unset: history is kept in the data directory
     * @param database created on first use when the user may
     * @param table created on first use
     * @param username the operator user
     * @param password of the operator user
     * @param storagePolicy the server's storage policy for the table
     * @param coldVolume the volume of that policy to which old parts move
     * @param coldAfter how long after its receipt an event moves there; unset: never
     */
    public record ClickHouse(
            @Nullable String url,
            @DefaultValue("porcupine") String database,
            @DefaultValue("events") String table,
            @DefaultValue("default") String username,
            @DefaultValue("") String password,
            @Nullable String storagePolicy,
            @Nullable String coldVolume,
            @Nullable Duration coldAfter) {

        private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");
        private static final int HTTP_PORT = 8123;
        private static final int HTTPS_PORT = 8443;

        public ClickHouse {
            requireName("database", database);
            requireName("table", table);
            if (url == null
                    && (storagePolicy != null || coldVolume != null || coldAfter != null || !password.isEmpty())) {
                throw new SettingException(
                        "porcupine.clickhouse.* is set, but porcupine.clickhouse.url is not.",
                        "Set porcupine.clickhouse.url, or remove the other settings to keep history in the data directory.");
            }
            if ((coldVolume == null) != (coldAfter == null)) {
                throw new SettingException(
                        "Of porcupine.clickhouse.cold-volume and porcupine.clickhouse.cold-after only one is set.",
                        "Set both, so that old events move to the cold volume, or neither.");
            }
            if (coldVolume != null && storagePolicy == null) {
                throw new SettingException(
                        "porcupine.clickhouse.cold-volume is set, but porcupine.clickhouse.storage-policy is not.",
                        "Set porcupine.clickhouse.storage-policy to the server's policy that has the volume.");
            }
            if (coldAfter != null && coldAfter.toSeconds() < 1) {
                throw new SettingException(
                        "porcupine.clickhouse.cold-after is " + coldAfter + ".",
                        "Set it to a second or more, such as 90d or P90D.");
            }
            if (url != null) {
                parse(url);
            }
        }

        /** Empty where history is embedded. */
        Optional<ClickHouseSettings> settings() {
            return Optional.ofNullable(url)
                    .map(it -> new ClickHouseSettings(
                            parse(it), database, table, username, password, storagePolicy, coldVolume, coldAfter));
        }

        /** Without the password: this text may reach logs. */
        @Override
        public String toString() {
            return settings().map(ClickHouseSettings::toString).orElse("embedded");
        }

        private static void requireName(String what, String name) {
            if (!NAME.matcher(name).matches()) {
                throw new SettingException(
                        "porcupine.clickhouse." + what + " is '" + name + "'.",
                        "Use letters, digits and underscores, not starting with a digit.");
            }
        }

        /** Never repeats the text: it may hold a password. */
        private static URI parse(String url) {
            URI uri;
            try {
                uri = new URI(url.strip());
            } catch (URISyntaxException e) {
                throw badUrl("is not a URL");
            }
            String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
            boolean https = scheme.equals("https");
            if (!https && !scheme.equals("http")) {
                throw badUrl("does not start with http:// or https://");
            }
            if (uri.getHost() == null) {
                throw badUrl("names no host");
            }
            if (uri.getRawUserInfo() != null) {
                throw badUrl(
                        "holds a user name or password, which belong into porcupine.clickhouse.username and .password");
            }
            boolean path = uri.getRawPath() != null
                    && !uri.getRawPath().isEmpty()
                    && !uri.getRawPath().equals("/");
            if (path || uri.getRawQuery() != null || uri.getRawFragment() != null) {
                throw badUrl("has a path, a query or a fragment");
            }
            int port = uri.getPort() > 0 ? uri.getPort() : https ? HTTPS_PORT : HTTP_PORT;
            return URI.create(scheme + "://" + uri.getHost() + ":" + port);
        }

        private static SettingException badUrl(String fault) {
            return new SettingException(
                    "porcupine.clickhouse.url " + fault + ".",
                    "Set it to the HTTP address of the server, such as http://clickhouse:8123.");
        }
    }
}
