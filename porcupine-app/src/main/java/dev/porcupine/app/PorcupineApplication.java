package dev.porcupine.app;

import dev.porcupine.delivery.DeliveryConfiguration;
import dev.porcupine.ingest.IngestConfiguration;
import dev.porcupine.query.QueryConfiguration;
import dev.porcupine.reconcile.ReconcileConfiguration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.context.annotation.Import;

/** Starts the service. */
@SpringBootApplication
@ConfigurationPropertiesScan
@Import({IngestConfiguration.class, DeliveryConfiguration.class, QueryConfiguration.class, ReconcileConfiguration.class
})
public class PorcupineApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(PorcupineApplication.class, arguments);
    }
}
