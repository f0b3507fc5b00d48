package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClickHouseSettingsTest {

    @ParameterizedTest
    @ValueSource(strings = {"", "1events", "ev-ents", "ev ents", "ev`ents", "ev'ents", "ev.ents", "évents", "${x}"})
    void a_name_outside_the_allow_list_is_refused(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> names(name, "events"));
        assertThatIllegalArgumentException().isThrownBy(() -> names("porcupine", name));
        assertThatIllegalArgumentException().isThrownBy(() -> cold(name, "cold", Duration.ofDays(1)));
        assertThatIllegalArgumentException().isThrownBy(() -> cold("tiered", name, Duration.ofDays(1)));
    }

    @Test
    void names_of_1_and_64_characters_fit_and_65_do_not() {
        assertThatNoException().isThrownBy(() -> names("_", "E".repeat(64)));
        assertThatIllegalArgumentException().isThrownBy(() -> names("porcupine", "E".repeat(65)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://host:8123",
                "host:8123",
                "http://secret@host:8123",
                "http://user:secret@host:8123",
                "http://host:8123/path",
                "http://host:8123?user=secret",
                "http://host:8123/#secret",
                "http:/host",
            })
    void an_address_with_more_than_a_server_is_refused_and_not_repeated(String url) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> url(url))
                .withMessageContaining("porcupine.clickhouse.url")
                .withMessageNotContaining("secret");
    }

    @Test
    void an_address_without_a_port_gets_clickhouses_own() {
        assertThat(url("http://host").url()).isEqualTo(URI.create("http://host:8123"));
        assertThat(url("HTTPS://host/").url()).isEqualTo(URI.create("https://host:8443"));
        assertThat(url("http://[::1]:9000/").url()).isEqualTo(URI.create("http://[::1]:9000"));
    }

    @Test
    void cold_storage_takes_a_policy_a_volume_and_a_duration_of_a_second_or_more() {
        assertThatNoException().isThrownBy(() -> cold("tiered", "cold", Duration.ofSeconds(1)));
        assertThatNoException().isThrownBy(() -> cold("tiered", null, null));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cold("tiered", "cold", null))
                .withMessageContaining("cold-after");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cold(null, "cold", Duration.ofDays(1)))
                .withMessageContaining("storage-policy");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cold("tiered", null, Duration.ofDays(1)))
                .withMessageContaining("cold-volume");
        assertThatIllegalArgumentException().isThrownBy(() -> cold("tiered", "cold", Duration.ofMillis(999)));
        assertThatIllegalArgumentException().isThrownBy(() -> cold("tiered", "cold", Duration.ofDays(-1)));
    }

    @Test
    void the_password_is_in_no_text() {
        assertThat(url("http://host:8123").toString()).doesNotContain("hunter2");
    }

    private static void names(String database, String table) {
        new ClickHouseSettings(URI.create("http://host:8123"), database, table, "user", "hunter2", null, null, null);
    }

    private static ClickHouseSettings url(String url) {
        return new ClickHouseSettings(URI.create(url), "porcupine", "events", "user", "hunter2", null, null, null);
    }

    private static void cold(@Nullable String policy, @Nullable String volume, @Nullable Duration after) {
        new ClickHouseSettings(
                URI.create("http://host:8123"), "porcupine", "events", "user", "hunter2", policy, volume, after);
    }
}
