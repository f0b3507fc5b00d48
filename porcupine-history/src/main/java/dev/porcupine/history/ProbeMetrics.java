package dev.porcupine.history;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** What probes do and cost, for operators. Everything is registered at start, so that zero is visible. */
final class ProbeMetrics {

    private final Counter complete;
    private final Map<ProbeFailure, Counter> failed = new EnumMap<>(ProbeFailure.class);
    private final Timer duration;
    private final DistributionSummary identities;
    private final DistributionSummary rowsRead;
    private final DistributionSummary bytesRead;

    ProbeMetrics(MeterRegistry registry) {
        complete = probes(registry, "complete");
        for (ProbeFailure failure : ProbeFailure.values()) {
            failed.put(failure, probes(registry, failure.name().toLowerCase(Locale.ROOT)));
        }
        duration = Timer.builder("porcupine.probe.duration")
                .description("How long probes of history take, whatever their outcome")
                .publishPercentileHistogram()
                .register(registry);
        identities = DistributionSummary.builder("porcupine.probe.identities")
                .description("Identities that one probe asks for")
                .register(registry);
        rowsRead = DistributionSummary.builder("porcupine.probe.read.rows")
                .description("Rows that ClickHouse read for a complete probe")
                .baseUnit("rows")
                .register(registry);
        bytesRead = DistributionSummary.builder("porcupine.probe.read")
                .description("Uncompressed bytes that ClickHouse read for a complete probe")
                .baseUnit("bytes")
                .register(registry);
    }

    void probed(ProbeResult result, int asked, Duration took) {
        switch (result) {
            case ProbeResult.Complete done -> complete.increment();
            case ProbeResult.Failed failure -> countFailed(failure.failure());
        }
        identities.record(asked);
        duration.record(took);
    }

    /** For a request that got no probe at all: both slots stayed taken. */
    void countFailed(ProbeFailure failure) {
        Counter counter = failed.get(failure);
        if (counter != null) {
            counter.increment();
        }
    }

    void cost(ProbeCost cost) {
        rowsRead.record((double) cost.rowsRead());
        bytesRead.record((double) cost.bytesRead());
    }

    private static Counter probes(MeterRegistry registry, String outcome) {
        return Counter.builder("porcupine.probe.requests")
                .description("Probes of history by outcome; overloaded ones never ran")
                .tag("outcome", outcome)
                .register(registry);
    }
}
