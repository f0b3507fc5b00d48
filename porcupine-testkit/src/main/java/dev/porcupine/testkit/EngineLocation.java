package dev.porcupine.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where {@code bin/install-test-engine} put the engine. The rule is the same as in that script. */
final class EngineLocation {

    private static final Pattern VERSION = Pattern.compile("\"@chdb/lib-linux-x64-gnu\"\\s*:\\s*\"([^\"]+)\"");

    private EngineLocation() {}

    /** The pinned version, from test-engine/package.json. */
    static String version() {
        try (InputStream packageJson = EngineLocation.class.getResourceAsStream("/test-engine/package.json")) {
            if (packageJson == null) {
                throw new IllegalStateException("test-engine/package.json is missing from the testkit's classes");
            }
            Matcher matcher = VERSION.matcher(new String(packageJson.readAllBytes(), StandardCharsets.UTF_8));
            if (!matcher.find()) {
                throw new IllegalStateException("test-engine/package.json names no engine version");
            }
            return matcher.group(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Path folder(Map<String, String> environment) {
        String named = environment.getOrDefault("PORCUPINE_TEST_ENGINE_DIR", "");
        if (!named.isEmpty()) {
            return Path.of(named);
        }
        String cache = environment.getOrDefault("XDG_CACHE_HOME", "");
        Path base = cache.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(cache);
        return base.resolve("porcupine").resolve("test-engine-" + version());
    }

    static Optional<Path> library(Map<String, String> environment) {
        Path library = folder(environment).resolve("node_modules/@chdb/lib-linux-x64-gnu/libchdb.so");
        return Files.isRegularFile(library) ? Optional.of(library) : Optional.empty();
    }
}
