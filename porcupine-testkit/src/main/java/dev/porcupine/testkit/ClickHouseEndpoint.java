package dev.porcupine.testkit;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A ClickHouse to talk to, with a user who has every right.
 *
 * @param url http, host and port
 */
public record ClickHouseEndpoint(URI url, String user, String password) {

    private static final Duration QUERY_WITHIN = Duration.ofSeconds(60);

    /** HTTP/1.1 said outright: the server knows nothing else and an upgrade offer only costs. */
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();

    /**
     * The answer in TSV (or what FORMAT says) without the last line end.
     *
     * @throws ClickHouseQueryException with the server's code where it refused
     */
    public String query(String sql) {
        return query(sql, QUERY_WITHIN);
    }

    /** @throws ClickHouseQueryException with code 0 where no answer came within the deadline */
    public String query(String sql, Duration deadline) {
        // Else an error after the first rows is a 200 with a cut body.
        HttpRequest request = HttpRequest.newBuilder(url.resolve("/?wait_end_of_query=1"))
                .header("X-ClickHouse-User", user)
                .header("X-ClickHouse-Key", password)
                .timeout(deadline)
                .POST(HttpRequest.BodyPublishers.ofString(sql))
                .build();
        HttpResponse<String> response;
        try {
            response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new ClickHouseQueryException(0, "no answer from " + url + ": " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClickHouseQueryException(0, "interrupted while waiting for " + url, e);
        }
        if (response.statusCode() != 200) {
            int code = response.headers()
                    .firstValue("X-ClickHouse-Exception-Code")
                    .map(Integer::parseInt)
                    .orElse(0);
            throw new ClickHouseQueryException(code, response.body(), null);
        }
        String body = response.body();
        return body.endsWith("\n") ? body.substring(0, body.length() - 1) : body;
    }

    /** The same server as another user. */
    public ClickHouseEndpoint as(String otherUser, String otherPassword) {
        return new ClickHouseEndpoint(url, otherUser, otherPassword);
    }

    /** Creates an empty database and answers its name. */
    public String freshDatabase() {
        byte[] random = new byte[6];
        ThreadLocalRandom.current().nextBytes(random);
        String name = "test_" + HexFormat.of().formatHex(random);
        query("create database " + name);
        return name;
    }

    /** Without the password: this text reaches logs. */
    @Override
    public String toString() {
        return "ClickHouseEndpoint[" + url + ", user " + user + "]";
    }
}
