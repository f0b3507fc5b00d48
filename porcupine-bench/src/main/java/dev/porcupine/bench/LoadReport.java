package dev.porcupine.bench;

import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/** What the service answered, and how fast. Thread-safe by synchronisation: once a request is rare enough. */
final class LoadReport {

    private static final long LATENCY_MICROS_MAX = 60_000_000;

    private final Histogram latencyMicros = new Histogram(LATENCY_MICROS_MAX, 3);
    private final Map<String, Long> answers = new TreeMap<>();
    private long accepted;

    synchronized void answered(int status, int events, long micros) {
        latencyMicros.recordValue(Math.min(micros, LATENCY_MICROS_MAX));
        answers.merge(Integer.toString(status), 1L, Long::sum);
        if (status == 200) {
            accepted += events;
        }
    }

    synchronized void failed(String what) {
        answers.merge(what, 1L, Long::sum);
    }

    synchronized long accepted() {
        return accepted;
    }

    synchronized String text(double seconds) {
        return "%,d events accepted, %,.0f events/s, %,.0f requests/s; latency ms p50 %.1f p90 %.1f p99 %.1f p99.9 %.1f max %.1f; answers %s"
                .formatted(
                        accepted,
                        accepted / seconds,
                        latencyMicros.getTotalCount() / seconds,
                        millis(50),
                        millis(90),
                        millis(99),
                        millis(99.9),
                        millis(100),
                        answers);
    }

    private double millis(double percentile) {
        return latencyMicros.getValueAtPercentile(percentile) / 1000.0;
    }
}
