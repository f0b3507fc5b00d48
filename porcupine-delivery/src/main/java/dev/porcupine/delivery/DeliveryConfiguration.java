package dev.porcupine.delivery;

import dev.porcupine.history.History;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.schema.Ticker;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.concurrent.ThreadLocalRandom;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Delivery and the quarantine's HTTP interface. Needs a {@link Ledger}, a {@link History} with its {@link SourceWatch}, a
 * {@link MeterRegistry} and an {@link InstantSource}; takes {@link DeliverySettings} where there are any.
 */
@Configuration(proxyBeanMethods = false)
public class DeliveryConfiguration {

    private static final Ticker TICKER = Ticker.system();

    @Bean
    DeliveryMetrics deliveryMetrics(MeterRegistry registry, InstantSource clock) {
        return new DeliveryMetrics(registry, clock);
    }

    @Bean
    DeliveryPass deliveryPass(
            Ledger ledger,
            History history,
            SourceWatch watch,
            ObjectProvider<DeliverySettings> settings,
            DeliveryMetrics metrics) {
        return new DeliveryPass(ledger, history, watch, orDefaults(settings), metrics);
    }

    @Bean
    DeliveryLoop deliveryLoop(
            DeliveryPass pass, Ledger ledger, ObjectProvider<DeliverySettings> settings, DeliveryMetrics metrics) {
        DeliverySettings bounds = orDefaults(settings);
        Backoff backoff = new Backoff(
                bounds.backoffFirst(),
                bounds.backoffMax(),
                () -> ThreadLocalRandom.current().nextDouble());
        return new DeliveryLoop(pass, ledger, bounds, metrics, new DeliveryHealth(TICKER), backoff);
    }

    @Bean
    QuarantineController quarantineController(Ledger ledger) {
        return new QuarantineController(ledger);
    }

    private static DeliverySettings orDefaults(ObjectProvider<DeliverySettings> settings) {
        return settings.getIfAvailable(DeliverySettings::defaults);
    }
}
