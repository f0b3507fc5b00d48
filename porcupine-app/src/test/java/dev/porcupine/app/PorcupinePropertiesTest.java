package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.porcupine.ingest.CaptureLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.unit.DataSize;

class PorcupinePropertiesTest {

    @Test
    void defaults_keep_everything_local() {
        PorcupineProperties properties = bind(Map.of());
        assertThat(properties.directory()).isEqualTo(Path.of("data").toAbsolutePath());
        assertThat(properties.hotReceiptLimit().receipts()).isZero();
        assertThat(properties.queue().maxEvents()).isEqualTo(1_000_000);
        assertThat(properties.queue().maxBytes()).isEqualTo(DataSize.ofGigabytes(2));
        assertThat(properties.adminToken()).isNull();
        assertThat(properties.clickhouse().settings()).isEmpty();
    }

    @Test
    void default_capture_limits_are_those_that_capture_documents() {
        long heap = 512L << 20;
        assertThat(bind(Map.of()).capture().limits(heap)).isEqualTo(CaptureLimits.forHeap(heap));
    }

    @Test
    void environment_variables_bind_by_their_documented_names() {
        PorcupineProperties properties = bind(Map.of(
                "PORCUPINE_DATA_DIR", "/var/lib/porcupine",
                "PORCUPINE_HOT_RECEIPT_LIMIT", "0",
                "PORCUPINE_QUEUE_MAX_EVENTS", "5",
                "PORCUPINE_QUEUE_MAX_BYTES", "7MB",
                "PORCUPINE_CLICKHOUSE_URL", "https://ch.example",
                "PORCUPINE_CLICKHOUSE_STORAGE_POLICY", "tiered",
                "PORCUPINE_CLICKHOUSE_COLD_VOLUME", "cold",
                "PORCUPINE_CLICKHOUSE_COLD_AFTER", "90d"));
        assertThat(properties.directory()).isEqualTo(Path.of("/var/lib/porcupine"));
        assertThat(properties.queue()).isEqualTo(new PorcupineProperties.Queue(5, DataSize.ofMegabytes(7)));
        var clickHouse = properties.clickhouse().settings().orElseThrow();
        assertThat(clickHouse.url()).hasToString("https://ch.example:8443");
        assertThat(clickHouse.coldAfter()).isEqualTo(Duration.ofDays(90));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "1.5", "1e3", "0x10", "ten", "", " ", "1_000", "9223372036854775808", "٣"})
    void a_receipt_limit_that_is_no_integer_of_0_or_more_stops_start_up(String limit) {
        assertRefused("PORCUPINE_HOT_RECEIPT_LIMIT", limit, "porcupine.hot-receipt-limit is '" + limit + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "1000", "999999999999999999"})
    void a_positive_receipt_limit_without_clickhouse_stops_start_up(String limit) {
        assertRefused("PORCUPINE_HOT_RECEIPT_LIMIT", limit, "porcupine.clickhouse.url is not set");
    }

    @Test
    void a_positive_receipt_limit_with_clickhouse_is_taken() {
        PorcupineProperties properties =
                bind(Map.of("PORCUPINE_HOT_RECEIPT_LIMIT", "1000", "PORCUPINE_CLICKHOUSE_URL", "http://ch:8123"));
        assertThat(properties.hotReceiptLimit().receipts()).isEqualTo(1000);
    }

    @ParameterizedTest
    @CsvSource({
        "PORCUPINE_QUEUE_MAX_EVENTS, 0, porcupine.queue.max-events is 0",
        "PORCUPINE_QUEUE_MAX_EVENTS, -5, porcupine.queue.max-events is -5",
        "PORCUPINE_QUEUE_MAX_BYTES, 0, porcupine.queue.max-bytes is 0",
        "PORCUPINE_QUEUE_MAX_BYTES, -1GB, porcupine.queue.max-bytes is -",
        "PORCUPINE_CAPTURE_MAX_NESTING, 0, porcupine.capture.max-nesting is 0",
        "PORCUPINE_CAPTURE_MAX_BODY_BYTES, 3GB, porcupine.capture.max-body-bytes is",
        "PORCUPINE_CAPTURE_MAX_IN_FLIGHT_BYTES, 0, porcupine.capture.max-in-flight-bytes is 0",
        "PORCUPINE_CAPTURE_BODY_DEADLINE, 0s, porcupine.capture.body-deadline",
        "PORCUPINE_ADMIN_TOKEN, two words, porcupine.admin-token",
        "PORCUPINE_ADMIN_TOKEN, '', porcupine.admin-token",
        "PORCUPINE_DATA_DIR, '', porcupine.data-dir is empty",
        "PORCUPINE_CLICKHOUSE_URL, clickhouse:8123, porcupine.clickhouse.url",
        "PORCUPINE_CLICKHOUSE_URL, '', porcupine.clickhouse.url",
        "PORCUPINE_CLICKHOUSE_URL, jdbc:clickhouse://host, porcupine.clickhouse.url",
        "PORCUPINE_CLICKHOUSE_URL, http://host/path, porcupine.clickhouse.url",
        "PORCUPINE_CLICKHOUSE_URL, http:///, porcupine.clickhouse.url",
        "PORCUPINE_CLICKHOUSE_DATABASE, a.b, porcupine.clickhouse.database is 'a.b'",
        "PORCUPINE_CLICKHOUSE_TABLE, 1t, porcupine.clickhouse.table is '1t'",
        "PORCUPINE_CLICKHOUSE_PASSWORD, secret, porcupine.clickhouse.url is not",
        "PORCUPINE_CLICKHOUSE_COLD_AFTER, 90d, porcupine.clickhouse.url is not",
    })
    void a_bad_value_stops_start_up_and_is_named(String variable, String value, String message) {
        assertRefused(variable, value, message);
    }

    @Test
    void a_password_in_the_url_is_refused_and_not_repeated() {
        assertThatThrownBy(() -> bind(Map.of("PORCUPINE_CLICKHOUSE_URL", "http://user:hunter2@host:8123")))
                .rootCause()
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("porcupine.clickhouse.username")
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void cold_storage_is_configured_whole_or_not_at_all() {
        String url = "http://ch:8123";
        assertThatThrownBy(
                        () -> bind(Map.of("PORCUPINE_CLICKHOUSE_URL", url, "PORCUPINE_CLICKHOUSE_COLD_AFTER", "P1D")))
                .rootCause()
                .hasMessageContaining("only one is set");
        assertThatThrownBy(() -> bind(Map.of(
                        "PORCUPINE_CLICKHOUSE_URL", url,
                        "PORCUPINE_CLICKHOUSE_COLD_AFTER", "P1D",
                        "PORCUPINE_CLICKHOUSE_COLD_VOLUME", "cold")))
                .rootCause()
                .hasMessageContaining("storage-policy is not");
    }

    @Test
    void secrets_are_not_in_the_text_form() {
        PorcupineProperties properties = bind(Map.of(
                "PORCUPINE_ADMIN_TOKEN", "hunter2",
                "PORCUPINE_CLICKHOUSE_URL", "http://ch:8123",
                "PORCUPINE_CLICKHOUSE_PASSWORD", "hunter3"));
        assertThat(properties.toString()).doesNotContain("hunter");
    }

    private static void assertRefused(String variable, String value, String message) {
        assertThatThrownBy(() -> bind(Map.of(variable, value)))
                .rootCause()
                .isInstanceOfSatisfying(
                        SettingException.class,
                        refused -> assertThat(refused.action()).isNotBlank())
                .hasMessageContaining(message);
    }

    static PorcupineProperties bind(Map<String, Object> variables) {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .forEach(source -> environment.getPropertySources().remove(source.getName()));
        environment
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
        Iterable<ConfigurationPropertySource> sources = ConfigurationPropertySources.get(attach(environment));
        return new Binder(sources).bindOrCreate("porcupine", PorcupineProperties.class);
    }

    private static StandardEnvironment attach(StandardEnvironment environment) {
        ConfigurationPropertySources.attach(environment);
        return environment;
    }
}
