package dev.porcupine.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.DockerClientFactory;

class EngineLocationTest {

    @Test
    void the_folder_carries_the_pinned_version_and_lies_in_the_cache() {
        assertThat(EngineLocation.version()).matches("\\d+\\.\\d+\\.\\d+.*");
        assertThat(EngineLocation.folder(Map.of("XDG_CACHE_HOME", "/caches")))
                .isEqualTo(Path.of("/caches/porcupine/test-engine-" + EngineLocation.version()));
        assertThat(EngineLocation.folder(Map.of("XDG_CACHE_HOME", "")))
                .isEqualTo(Path.of(
                        System.getProperty("user.home"), ".cache/porcupine/test-engine-" + EngineLocation.version()));
    }

    @Test
    void a_named_folder_wins() {
        assertThat(EngineLocation.folder(Map.of("PORCUPINE_TEST_ENGINE_DIR", "/engine", "XDG_CACHE_HOME", "/caches")))
                .isEqualTo(Path.of("/engine"));
    }

    @Test
    void without_engine_and_docker_a_test_fails_and_names_the_script(@TempDir Path empty) {
        Map<String, String> environment = Map.of("PORCUPINE_TEST_ENGINE_DIR", empty.toString());
        ClickHouseOptions options = ClickHouseOptions.defaults();

        if (DockerClientFactory.instance().isDockerAvailable()) {
            assertThat(ServerBody.choose(options, environment)).isInstanceOf(ContainerBody.class);
        } else {
            assertThatThrownBy(() -> ServerBody.choose(options, environment))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("bin/install-test-engine")
                    .hasMessageContaining(empty.toString());
        }
    }
}
