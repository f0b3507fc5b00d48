package dev.porcupine.reconcile;

import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.Removal.Removed;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/** Meters of removals, all there from the start. */
final class RemovalMetrics {

    private final Counter ledgerRows;
    private final Counter historyRows;
    private final Counter stalls;

    RemovalMetrics(MeterRegistry registry, Ledger ledger) {
        Gauge.builder(
                        "porcupine.removal.pending",
                        ledger,
                        it -> it.removals().pending().size())
                .description("Projects that are being removed")
                .register(registry);
        ledgerRows = rows(registry, "ledger");
        historyRows = rows(registry, "history");
        stalls = Counter.builder("porcupine.removal.stalls")
                .description("Passes in which a removal could not go on")
                .register(registry);
    }

    void removed(Removed before, Removed after) {
        ledgerRows.increment((double) (ledgerRows(after) - ledgerRows(before)));
    }

    void historyEmpty(long rows) {
        historyRows.increment((double) rows);
    }

    private static long ledgerRows(Removed removed) {
        return removed.queued() + removed.quarantined() + removed.receipts() + removed.heads();
    }

    void stalled() {
        stalls.increment();
    }

    private static Counter rows(MeterRegistry registry, String store) {
        return Counter.builder("porcupine.removal.rows")
                .description("Rows of removed projects that are gone")
                .tag("store", store)
                .register(registry);
    }
}
