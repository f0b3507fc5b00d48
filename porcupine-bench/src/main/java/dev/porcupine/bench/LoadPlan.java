package dev.porcupine.bench;

import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What to send.
 *
 * @param url http, host and port of the service
 * @param connections kept alive, each with one request under way
 * @param eventsPerSecond in all; 0 is as fast as answers come
 */
record LoadPlan(URI url, String token, int connections, int batchSize, long eventsPerSecond, Duration duration) {

    private static final Set<String> OPTIONS = Set.of("url", "token", "connections", "batch", "rate", "seconds");

    LoadPlan {
        if (connections < 1 || batchSize < 1 || eventsPerSecond < 0 || !duration.isPositive()) {
            throw new IllegalArgumentException("connections, batch and seconds are 1 or more, rate 0 or more");
        }
    }

    /** Reads {@code --name=value} arguments. */
    static LoadPlan parse(String... arguments) {
        Map<String, String> given = new HashMap<>();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            String name = argument.startsWith("--") && equals > 0 ? argument.substring(2, equals) : "";
            if (!OPTIONS.contains(name)) {
                throw new IllegalArgumentException("'" + argument
                        + "' is none of --url= --token= --connections= --batch= --rate=" + " --seconds=");
            }
            given.put(name, argument.substring(equals + 1));
        }
        if (!given.containsKey("token")) {
            throw new IllegalArgumentException("--token= is missing: a project's write token");
        }
        return new LoadPlan(
                URI.create(given.getOrDefault("url", "http://localhost:8080")),
                given.get("token"),
                Integer.parseInt(given.getOrDefault("connections", "16")),
                Integer.parseInt(given.getOrDefault("batch", "100")),
                Long.parseLong(given.getOrDefault("rate", "0")),
                Duration.ofSeconds(Long.parseLong(given.getOrDefault("seconds", "30"))));
    }

    /** Between the starts of two requests of one connection; 0 without a rate. */
    long intervalNanos() {
        return eventsPerSecond == 0 ? 0 : 1_000_000_000L * batchSize * connections / eventsPerSecond;
    }
}
