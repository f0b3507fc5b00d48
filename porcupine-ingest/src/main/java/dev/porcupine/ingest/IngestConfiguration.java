package dev.porcupine.ingest;

import dev.porcupine.ledger.Ledger;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Capture, the endpoints that SDKs call beside it, and the project part of the admin interface. Needs a {@link Ledger}, an
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
    EventDoor captureDoor(Ledger ledger) {
        return ledger.acceptance()::accept;
    }

    @Bean
    ProjectController projectController(Ledger ledger, CaptureRecord record) {
        return new ProjectController(ledger.projects(), record);
    }
}
