package dev.porcupine.app;

import dev.porcupine.ledger.CreatedProject;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.Project;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.Environment;

/** Tells whoever started the service what to do next; on an empty ledger it first makes a project to do it with. */
final class FirstStart implements ApplicationListener<ApplicationReadyEvent> {

    private static final Logger log = LoggerFactory.getLogger(FirstStart.class);
    private static final String PROJECT_NAME = "default";

    private final Ledger ledger;
    private final PorcupineProperties properties;

    FirstStart(Ledger ledger, PorcupineProperties properties) {
        this.ledger = ledger;
        this.properties = properties;
    }

    @Override
    public void onApplicationEvent(ApplicationReadyEvent event) {
        String address = address(event.getApplicationContext().getEnvironment());
        List<Project> existing = ledger.projects().list();
        if (existing.isEmpty() && ledger.removals().any()) {
            log.info("Ready at {}; every project was removed", address);
        } else if (existing.isEmpty()) {
            CreatedProject created = ledger.projects().create(PROJECT_NAME);
            String secret = created.token().secret();
            log.info(
                    "Project '{}' (id {}) created. Its write token, not shown again: {}",
                    PROJECT_NAME,
                    created.project().id(),
                    secret);
            log.info(
                    "Try: curl -sS {}/capture/ -H 'Content-Type: application/json' -d '{\"api_key\":\"{}\",\"event\":\"hello\",\"distinct_id\":\"me\",\"uuid\":\"{}\"}'",
                    address,
                    secret,
                    UUID.randomUUID());
        } else {
            log.info(
                    "Ready at {} for {} project(s). A new write token: curl -sS -X POST {}/api/v1/projects/{}/tokens -H \"Authorization: Bearer {}\"",
                    address,
                    existing.size(),
                    address,
                    existing.getFirst().id(),
                    adminToken());
        }
    }

    private String adminToken() {
        return properties.adminToken() == null
                ? "$(cat '" + properties.directory().resolve(AdminToken.FILE_NAME) + "')"
                : "<porcupine.admin-token>";
    }

    private static String address(Environment environment) {
        return "http://"
                + environment.getProperty("server.address", "localhost")
                + ":"
                + environment.getRequiredProperty("local.server.port")
                + environment.getProperty("server.servlet.context-path", "");
    }
}
