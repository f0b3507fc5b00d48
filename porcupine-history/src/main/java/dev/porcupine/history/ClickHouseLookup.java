package dev.porcupine.history;

import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.Ticker;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Looks up any number of identities within one total time, in parts that fit a probe; a part that goes over a limit is halved and asked
 * again, so that a large batch is slow rather than refused for ever. The facts are all of them or none.
 */
final class ClickHouseLookup {

    /** P22, from the request to the last byte of the answer. */
    static final Duration PROBE_DEADLINE = Duration.ofSeconds(5);

    /** With the probe's own deadline this stays under the seven seconds within which a client gets its answer. */
    static final Duration SLOT_WAIT = Duration.ofMillis(1_500);

    private final ProbeDesk desk;
    private final ProbeMetrics metrics;
    private final Ticker ticker;

    ClickHouseLookup(
            ClickHouseProbe probe, ProbePurpose purpose, ProbeMetrics metrics, MeterRegistry registry, Ticker ticker) {
        this.metrics = metrics;
        this.ticker = ticker;
        String name = purpose.name().toLowerCase(Locale.ROOT);
        Bulkhead slots = Bulkhead.of(
                "porcupine-probe-" + name,
                BulkheadConfig.custom()
                        .maxConcurrentCalls(purpose.slots())
                        .maxWaitDuration(Duration.ZERO)
                        .build());
        this.desk = new ProbeDesk(slots, probe, ticker, ProbeStatement.IDENTITIES_MAX, PROBE_DEADLINE);
        Gauge.builder(
                        "porcupine.probe.slots.available",
                        slots,
                        all -> all.getMetrics().getAvailableConcurrentCalls())
                .tag("purpose", name)
                .description("Probe slots that nobody uses now")
                .register(registry);
        Gauge.builder("porcupine.probe.waiting", desk, ProbeDesk::waiting)
                .tag("purpose", name)
                .description("Lookups that wait for a probe slot now")
                .register(registry);
    }

    ProbeResult lookUp(VerifiedSource source, Set<EventIdentity> identities, Duration total) {
        long start = ticker.nanos();
        Deque<List<EventIdentity>> parts = parts(new ArrayList<>(identities));
        Set<EventIdentity> known = new HashSet<>();
        while (!parts.isEmpty()) {
            List<EventIdentity> part = parts.removeFirst();
            Duration left = total.minusNanos(ticker.nanos() - start);
            if (left.isNegative() || left.isZero()) {
                return new ProbeResult.Failed(
                        ProbeFailure.DEADLINE,
                        "the lookup of " + identities.size() + " identities took over " + total.toMillis() + " ms");
            }
            switch (desk.probe(source, new HashSet<>(part), shorter(SLOT_WAIT, left), left)) {
                case ProbeResult.Complete complete -> known.addAll(complete.known());
                case ProbeResult.Failed failed -> {
                    if (failed.failure() == ProbeFailure.OVERLOADED) {
                        metrics.countFailed(ProbeFailure.OVERLOADED);
                    }
                    if (failed.failure() != ProbeFailure.LIMIT || part.size() == 1) {
                        return failed;
                    }
                    parts.addFirst(part.subList(part.size() / 2, part.size()));
                    parts.addFirst(part.subList(0, part.size() / 2));
                }
            }
        }
        return new ProbeResult.Complete(known);
    }

    private static Deque<List<EventIdentity>> parts(List<EventIdentity> identities) {
        Deque<List<EventIdentity>> parts = new ArrayDeque<>();
        for (int from = 0; from < identities.size(); from += ProbeStatement.IDENTITIES_MAX) {
            parts.addLast(identities.subList(from, Math.min(from + ProbeStatement.IDENTITIES_MAX, identities.size())));
        }
        return parts;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
