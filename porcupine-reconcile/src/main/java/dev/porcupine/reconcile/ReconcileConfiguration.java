package dev.porcupine.reconcile;

import dev.porcupine.history.History;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.schema.Ticker;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.Supplier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Proving old receipts, and removing projects. Needs a {@link Ledger}, a {@link History} with its {@link SourceWatch} and a
 * {@link MeterRegistry}; offers the {@link Convergence}.
 */
@Configuration(proxyBeanMethods = false)
public class ReconcileConfiguration {

    @Bean
    ReconcilePass reconcilePass(Ledger ledger, History history, SourceWatch watch) {
        return new ReconcilePass(ledger, history, watch, Ticker.system());
    }

    @Bean
    ReconcileLoop reconcileLoop(ReconcilePass pass) {
        return new ReconcileLoop(pass);
    }

    @Bean
    RemovalLoop removalLoop(Ledger ledger, History history, SourceWatch watch, MeterRegistry registry) {
        return new RemovalLoop(new RemovalPass(ledger, history, watch, new RemovalMetrics(registry, ledger)));
    }

    @Bean
    Supplier<Convergence> convergence(ReconcilePass pass) {
        return pass::convergence;
    }
}
