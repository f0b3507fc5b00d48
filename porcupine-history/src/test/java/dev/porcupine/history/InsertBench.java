package dev.porcupine.history;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.testkit.ClickHouseServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Prints how many rows a second each history takes, by batch size. Run by hand; it checks nothing. */
final class InsertBench {

    private static final int ROWS = 200_000;

    private InsertBench() {}

    public static void main(String[] args) throws IOException {
        try (ClickHouseServer server = ClickHouseServer.start();
                History clickHouse = Histories.clickHouse(new ClickHouseSettings(
                        server.url(), "bench", "events", server.user(), server.password(), null, null, null))) {
            measure(clickHouse);
        }
        Path folder = Files.createTempDirectory("history-bench");
        try (History embedded = Histories.embedded(folder)) {
            measure(embedded);
        }
    }

    private static void measure(History history) {
        VerifiedSource source = switch (history.verify()) {
            case Verification.Verified verified -> verified.source();
            case Verification.Refused refused -> throw new IllegalStateException(refused.toString());
        };
        for (int size : List.of(1_000, 10_000, 50_000)) {
            ProjectId project = Sample.freshProject();
            List<Event> events = Sample.events(project, ROWS).stream()
                    .map(event -> Sample.withProperties(event, "{\"text\":\"" + "b".repeat(580) + "\"}"))
                    .toList();
            long begun = System.nanoTime();
            for (int from = 0; from < ROWS; from += size) {
                InsertResult result = history.insert(source, events.subList(from, Math.min(ROWS, from + size)));
                if (!(result instanceof InsertResult.Acknowledged)) {
                    throw new IllegalStateException(result.toString());
                }
            }
            Duration taken = Duration.ofNanos(System.nanoTime() - begun);
            long counting = System.nanoTime();
            long count = history.count(project);
            Duration counted = Duration.ofNanos(System.nanoTime() - counting);
            System.out.printf(
                    Locale.ROOT,
                    "%s: batches of %,d: %,d rows/s; count of %,d in %d ms%n",
                    history.kind(),
                    size,
                    ROWS * 1_000L / Math.max(1, taken.toMillis()),
                    count,
                    counted.toMillis());
        }
    }
}
