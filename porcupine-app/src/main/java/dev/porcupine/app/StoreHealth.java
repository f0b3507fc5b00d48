package dev.porcupine.app;

import dev.porcupine.history.SourceWatch;
import dev.porcupine.ledger.Ledger;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Health of what Porcupine stands on. None of it asks a store: a scrape must not wait. */
final class StoreHealth {

    private StoreHealth() {}

    /** Whether a new event would be taken now. */
    static HealthIndicator capture(Ledger ledger, SourceWatch source) {
        return () -> {
            AdmissionReport report = AdmissionReport.of(ledger, source);
            return report.open()
                    ? Health.up().build()
                    : Health.outOfService()
                            .withDetail("reasons", report.reasons())
                            .build();
        };
    }

    /** Whether what was accepted can be delivered. Not part of readiness: captures go on without history. */
    static HealthIndicator history(SourceWatch source) {
        return () -> {
            SourceState state = SourceState.of(source.current());
            Health.Builder health = state.verified() ? Health.up() : Health.down();
            health.withDetail("kind", source.kind());
            if (!state.verified()) {
                health.withDetail("findings", state.findings());
            }
            if (!state.warnings().isEmpty()) {
                health.withDetail("warnings", state.warnings());
            }
            return health.build();
        };
    }
}
