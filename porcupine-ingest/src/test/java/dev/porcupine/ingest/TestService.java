package dev.porcupine.ingest;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The public endpoints on a real Tomcat, in front of a door that remembers in memory. */
final class TestService implements AutoCloseable {

    /** Small, so that tests reach them quickly. */
    static final CaptureLimits LIMITS =
            new CaptureLimits(256 * 1024, 1 << 20, 64 * 1024, 128, 1000, 16L << 20, Duration.ofSeconds(2));

    private final ServletWebServerApplicationContext context;
    private final HttpClient client = HttpClient.newHttpClient();

    TestService(Class<?> configuration, String... properties) {
        SpringApplication application = new SpringApplication(configuration);
        String[] arguments = new String[properties.length + 3];
        arguments[0] = "--server.port=0";
        arguments[1] = "--spring.main.banner-mode=off";
        arguments[2] = "--server.address=127.0.0.1";
        System.arraycopy(properties, 0, arguments, 3, properties.length);
        context = (ServletWebServerApplicationContext) application.run(arguments);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(CaptureHttpConfiguration.class)
    static class InMemory {

        @Bean
        MemoryDoor door() {
            return new MemoryDoor();
        }

        @Bean
        TokenLookup tokens() {
            return token -> Optional.ofNullable(CaptureFixture.TOKENS.get(token));
        }

        @Bean
        CaptureLimits limits() {
            return LIMITS;
        }

        @Bean
        InstantSource clock() {
            return InstantSource.fixed(CaptureFixture.NOW);
        }

        @Bean
        MeterRegistry registry() {
            return new SimpleMeterRegistry();
        }
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    int port() {
        return Objects.requireNonNull(context.getWebServer()).getPort();
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                .timeout(Duration.ofSeconds(20));
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    HttpResponse<String> get(String path) {
        return send(request(path).GET());
    }

    HttpResponse<String> post(String path, String json) {
        return send(request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(json)));
    }

    Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port());
    }

    /** Sends these bytes as they are, and returns everything the service sends until it closes. */
    String raw(byte[]... parts) {
        try (Socket socket = connect()) {
            socket.setSoTimeout(20_000);
            for (byte[] part : parts) {
                socket.getOutputStream().write(part);
            }
            socket.getOutputStream().flush();
            return readToEnd(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String readToEnd(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    static byte[] head(String method, String path, String... headers) {
        return (method + " " + path + " HTTP/1.1\r\nHost: x\r\n" + String.join("\r\n", headers)
                        + (headers.length > 0 ? "\r\n\r\n" : "\r\n"))
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() {
        client.close();
        context.close();
    }
}
