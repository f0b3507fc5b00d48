package dev.porcupine.app;

import dev.porcupine.history.SourceWatch;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LedgerStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The ledger's row counts and the state of history as meters, all registered at start. */
final class StoreMetrics implements MeterBinder {

    private final Ledger ledger;
    private final SourceWatch source;

    StoreMetrics(Ledger ledger, SourceWatch source) {
        this.ledger = ledger;
        this.source = source;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        gauge(registry, "porcupine.ledger.receipts", null, "Receipts in SQLite", LedgerStatus::receipts);
        gauge(
                registry,
                "porcupine.ledger.receipts.unproven",
                null,
                "Receipts that no pinned source has proven",
                LedgerStatus::unprovenReceipts);
        gauge(
                registry,
                "porcupine.ledger.complete",
                null,
                "1 until the first eviction: every identity is known locally",
                status -> status.complete() ? 1 : 0);
        gauge(
                registry,
                "porcupine.ledger.receipts.limit",
                null,
                "The hot receipt limit; 0 keeps every receipt",
                LedgerStatus::receiptLimit);
        gauge(
                registry,
                "porcupine.ledger.leases",
                null,
                "Lookups that keep receipts from eviction",
                LedgerStatus::leases);
        gauge(registry, "porcupine.ledger.heads", null, "Mutation heads", LedgerStatus::heads);
        gauge(registry, "porcupine.ledger.quarantined", null, "Events in quarantine", LedgerStatus::quarantined);
        gauge(
                registry,
                "porcupine.ledger.queue.events",
                null,
                "Accepted events that history has not acknowledged",
                LedgerStatus::queueEvents);
        gauge(registry, "porcupine.ledger.queue.size", "bytes", "Payload in the queue", LedgerStatus::queueBytes);
        gauge(
                registry,
                "porcupine.ledger.queue.events.max",
                null,
                "The queue's budget in events",
                LedgerStatus::queueEventsMax);
        gauge(
                registry,
                "porcupine.ledger.queue.size.max",
                "bytes",
                "The queue's budget in bytes",
                LedgerStatus::queueBytesMax);
        FunctionCounter.builder(
                        "porcupine.ledger.evictions", ledger, it -> it.status().evictedReceipts())
                .description("Receipts evicted in the ledger's life")
                .register(registry);
        Gauge.builder(
                        "porcupine.history.verified",
                        source,
                        it -> SourceState.of(it.current()).verified() ? 1 : 0)
                .description("1 when the last look at history found it sound")
                .register(registry);
        Gauge.builder(
                        "porcupine.admission.open",
                        this,
                        it -> AdmissionReport.of(it.ledger, it.source).open() ? 1 : 0)
                .description("1 when a new event would be taken")
                .register(registry);
    }

    private void gauge(
            MeterRegistry registry,
            String name,
            @Nullable String unit,
            String description,
            ToDoubleFunction<LedgerStatus> value) {
        Gauge.builder(name, ledger, it -> value.applyAsDouble(it.status()))
                .baseUnit(unit)
                .description(description)
                .register(registry);
    }
}
