package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class UnknownSettingsTest {

    @Test
    void a_mistyped_variable_is_named() {
        assertThat(UnknownSettings.unknownVariables(
                        Map.of("PORCUPINE_HOT_RECIEPT_LIMIT", "5", "PORCUPINE_QUEUE_MAX_EVENTS", "5", "PATH", "/bin")))
                .containsExactly("PORCUPINE_HOT_RECIEPT_LIMIT");
    }

    @Test
    void both_spellings_that_spring_reads_are_known() {
        assertThat(UnknownSettings.unknownVariables(
                        Map.of("PORCUPINE_HOTRECEIPTLIMIT", "0", "PORCUPINE_HOT_RECEIPT_LIMIT", "0")))
                .isEmpty();
    }

    @Test
    void the_service_links_of_kubernetes_are_not_settings() {
        assertThat(UnknownSettings.unknownVariables(Map.of(
                        "PORCUPINE_SERVICE_HOST", "10.0.0.1",
                        "PORCUPINE_SERVICE_PORT", "80",
                        "PORCUPINE_SERVICE_PORT_HTTP", "80",
                        "PORCUPINE_PORT", "tcp://10.0.0.1:80",
                        "PORCUPINE_PORT_80_TCP_ADDR", "10.0.0.1")))
                .isEmpty();
    }

    @Test
    void every_known_setting_is_recognised_as_a_variable() {
        Map<String, String> all = UnknownSettings.known().stream()
                .collect(Collectors.toMap(
                        name -> name.toUpperCase(java.util.Locale.ROOT)
                                .replace('-', '_')
                                .replace('.', '_'),
                        name -> "x"));
        assertThat(all).containsKeys("PORCUPINE_CLICKHOUSE_COLD_AFTER", "PORCUPINE_DATA_DIR");
        assertThat(UnknownSettings.unknownVariables(all)).isEmpty();
    }
}
