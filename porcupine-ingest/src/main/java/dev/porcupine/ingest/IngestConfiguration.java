package dev.porcupine.ingest;

import dev.porcupine.history.History;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.schema.Ticker;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Capture, the endpoints that SDKs call beside it, and the admin interface's projects and mutations. Needs a {@link Ledger}, a
 * {@link History} with its {@link SourceWatch}, an
 * {@link java.time.InstantSource}, a {@link io.micrometer.core.instrument.MeterRegistry} and {@link CaptureLimits}.
 */
@Configuration(proxyBeanMethods = false)
@Import(CaptureHttpConfiguration.class)
public class IngestConfiguration {

    @Bean
    TokenLookup captureTokens(Ledger ledger) {
        return ledger.projects()::byToken;
    }

    @Bean
    EventDoor captureDoor(Ledger ledger, History history, SourceWatch watch) {
        return new ProvingDoor(ledger, history, watch, Ticker.system(), ProofSteps.NONE);
    }

    @Bean
    MutationController mutationController(
            Ledger ledger,
            MutationDoor door,
            CaptureLimits limits,
            BodyBudget budget,
            InstantSource clock,
            MeterRegistry registry) {
        return new MutationController(door, ledger.projects(), limits, budget, clock, new MutationMetrics(registry));
    }

    @Bean
    MutationDoor mutationDoor(Ledger ledger, History history, SourceWatch watch) {
        return new MutationDoor(ledger, history, watch, Ticker.system(), MutationSteps.NONE);
    }

    @Bean
    ProjectController projectController(Ledger ledger, CaptureRecord record) {
        return new ProjectController(ledger.projects(), record);
    }

    @Bean
    RemovalController removalController(Ledger ledger, CaptureRecord record) {
        return new RemovalController(ledger.removals(), record);
    }
}
