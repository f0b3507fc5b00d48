package dev.porcupine.query;

import dev.porcupine.history.History;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LedgerSettings;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.http.ResponseEntity;
import org.springframework.util.FileSystemUtils;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** The query module behind a real Tomcat, as the application wires it but for the admin token. */
final class QueryServer implements AutoCloseable {

    static final ProjectId PROJECT = new ProjectId(7);
    static final ProjectId EMPTY_PROJECT = new ProjectId(8);

    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final Ledger ledger;
    private final Path ledgerDir;
    private final ServletWebServerApplicationContext context;
    private final HttpClient http = HttpClient.newHttpClient();

    QueryServer(History history, QuerySettings settings) {
        ledgerDir = newLedgerDir();
        ledger = Ledger.open(new LedgerSettings(ledgerDir, 100_000, 1L << 30), InstantSource.system());
        for (long id = 1; id <= EMPTY_PROJECT.value(); id++) {
            ledger.projects().create("project " + id);
        }
        context = (ServletWebServerApplicationContext) new SpringApplicationBuilder(Wiring.class)
                .properties("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off")
                .initializers((GenericApplicationContext beans) -> {
                    beans.registerBean(History.class, () -> history);
                    beans.registerBean(Ledger.class, () -> ledger);
                    beans.registerBean(MeterRegistry.class, () -> meters);
                    beans.registerBean(QuerySettings.class, () -> settings);
                    beans.registerBean(
                            ProjectDirectory.class, () -> id -> id.equals(PROJECT) || id.equals(EMPTY_PROJECT));
                })
                .run();
    }

    HttpResponse<String> get(String path) {
        try {
            return http.send(request(path), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    CompletableFuture<HttpResponse<String>> getLater(String path) {
        return http.sendAsync(request(path), HttpResponse.BodyHandlers.ofString());
    }

    int port() {
        return Objects.requireNonNull(context.getWebServer()).getPort();
    }

    private HttpRequest request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + "/api/v1/projects/" + path))
                .build();
    }

    @Override
    public void close() {
        http.close();
        context.close();
        ledger.close();
        try {
            FileSystemUtils.deleteRecursively(ledgerDir);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Path newLedgerDir() {
        try {
            return Files.createTempDirectory("query-ledger");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({QueryConfiguration.class, Problems.class})
    static class Wiring {}

    /** Stands for the application's advice: the code is all that these tests look at. */
    @RestControllerAdvice
    static class Problems {

        @ExceptionHandler
        ResponseEntity<Map<String, String>> problem(ProblemException e) {
            return ResponseEntity.status(e.problem().status())
                    .body(Map.of("code", e.problem().code(), "detail", e.detail()));
        }
    }
}
