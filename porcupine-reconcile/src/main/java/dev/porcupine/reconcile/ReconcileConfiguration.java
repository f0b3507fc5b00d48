package dev.porcupine.reconcile;

import dev.porcupine.history.History;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.schema.Ticker;
import java.util.function.Supplier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Proving old receipts. Needs a {@link Ledger} and a {@link History} with its {@link SourceWatch}; offers the {@link Convergence}. */
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
    Supplier<Convergence> convergence(ReconcilePass pass) {
        return pass::convergence;
    }
}
