package dev.porcupine.app;

import dev.porcupine.history.Histories;
import dev.porcupine.history.History;
import dev.porcupine.history.Reliance;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LedgerSettings;
import dev.porcupine.query.ProjectDirectory;
import dev.porcupine.reconcile.Convergence;
import dev.porcupine.schema.Ticker;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;

/** The two stores, what watches them and what reports them. */
@Configuration(proxyBeanMethods = false)
@EnableScheduling
class StoresConfiguration {

    private static final Logger log = LoggerFactory.getLogger(StoresConfiguration.class);

    @Bean
    InstantSource clock() {
        return InstantSource.system();
    }

    @Bean(destroyMethod = "close")
    Ledger ledger(PorcupineProperties properties, InstantSource clock) {
        String version = PorcupineApplication.class.getPackage().getImplementationVersion();
        log.info(
                "Porcupine {}: data directory {}, history {}, hot receipt limit {}, queue budget {} events and {} bytes",
                version == null ? "(unpackaged)" : version,
                properties.directory(),
                properties.clickhouse(),
                properties.hotReceiptLimit(),
                properties.queue().maxEvents(),
                properties.queue().maxBytes().toBytes());
        return Ledger.open(
                new LedgerSettings(
                        properties.directory(),
                        properties.queue().maxEvents(),
                        properties.queue().maxBytes().toBytes(),
                        properties.hotReceiptLimit().receipts()),
                clock);
    }

    /** After the ledger, which holds the lock on the data directory. */
    @Bean(destroyMethod = "close")
    History history(PorcupineProperties properties, Ledger ledger, MeterRegistry registry) {
        return properties
                .clickhouse()
                .settings()
                .map(settings -> Histories.clickHouse(
                        settings, registry, () -> reliance(ledger), ledger.lineage(), ledger.removals()::removes))
                .orElseGet(() -> Histories.embedded(properties.directory(), ledger.lineage()));
    }

    /** After the ledger, which holds the lock on the data directory. */
    @Bean
    AdminToken adminToken(PorcupineProperties properties, Ledger ledger) {
        return AdminToken.of(properties.adminToken(), properties.directory());
    }

    @Bean
    ProjectDirectory projectDirectory(Ledger ledger) {
        return project -> ledger.projects().find(project).isPresent();
    }

    @Bean
    SourceWatch sourceWatch(History history, Ledger ledger) {
        return new SourceWatch(history, new PinRule(ledger.pin()), Ticker.system());
    }

    /** How much rests on history; a pin counts whatever the limit is now (P38). */
    static Reliance reliance(Ledger ledger) {
        if (ledger.pin().pinned().isPresent()) {
            return Reliance.PINNED;
        }
        return ledger.status().receiptLimit() > 0 ? Reliance.COMING : Reliance.NONE;
    }

    @Bean
    SourceSchedule sourceSchedule(SourceWatch watch) {
        return new SourceSchedule(watch);
    }

    @Bean
    PorcupineEndpoint porcupineEndpoint(Ledger ledger, SourceWatch source, Supplier<Convergence> convergence) {
        return new PorcupineEndpoint(ledger, source, convergence);
    }

    @Bean
    StoreMetrics storeMetrics(Ledger ledger, SourceWatch source) {
        return new StoreMetrics(ledger, source);
    }

    @Bean
    HealthIndicator captureHealthIndicator(Ledger ledger, SourceWatch source) {
        return StoreHealth.capture(ledger, source);
    }

    @Bean
    HealthIndicator historyHealthIndicator(SourceWatch source) {
        return StoreHealth.history(source);
    }

    @Bean
    FirstStart firstStart(Ledger ledger, PorcupineProperties properties) {
        return new FirstStart(ledger, properties);
    }
}
