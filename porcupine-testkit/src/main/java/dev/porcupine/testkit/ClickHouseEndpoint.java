package dev.porcupine.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A ClickHouse to talk to, with a user who has every right.
 *
 * @param url http, host and port
 */
public record ClickHouseEndpoint(URI url, String user, String password) {

    private static final Duration QUERY_WITHIN = Duration.ofSeconds(60);
    private static final Duration CONNECT_WITHIN = Duration.ofSeconds(5);

    /**
     * The answer in TSV (or what FORMAT says) without the last line end.
     *
     * @throws ClickHouseQueryException with the server's code where it refused
     */
    public String query(String sql) {
        return query(sql, QUERY_WITHIN);
    }

    /**
     * @param patience bounds each wait for bytes
     * @throws ClickHouseQueryException with code 0 where no answer came
     */
    public String query(String sql, Duration patience) {
        try {
            return answer(open(patience), sql);
        } catch (IOException e) {
            throw new ClickHouseQueryException(0, "no answer from " + url + ": " + e, e);
        }
    }

    /** A connection of its own: a server that stops waits five seconds for connections that are kept alive. */
    private HttpURLConnection open(Duration patience) throws IOException {
        // Without wait_end_of_query an error after the first rows is a 200 with a cut body.
        HttpURLConnection connection =
                (HttpURLConnection) url.resolve("/?wait_end_of_query=1").toURL().openConnection(Proxy.NO_PROXY);
        connection.setRequestMethod("POST");
        connection.setDoOutput(true);
        connection.setInstanceFollowRedirects(false);
        connection.setConnectTimeout((int) CONNECT_WITHIN.toMillis());
        connection.setReadTimeout((int) patience.toMillis());
        connection.setRequestProperty("Connection", "close");
        connection.setRequestProperty("X-ClickHouse-User", user);
        connection.setRequestProperty("X-ClickHouse-Key", password);
        return connection;
    }

    private static String answer(HttpURLConnection connection, String sql) throws IOException {
        byte[] body = sql.getBytes(StandardCharsets.UTF_8);
        // Streaming also keeps the JDK from sending the statement a second time after a broken connection.
        connection.setFixedLengthStreamingMode(body.length);
        try (OutputStream request = connection.getOutputStream()) {
            request.write(body);
        }
        if (connection.getResponseCode() != 200) {
            String code = connection.getHeaderField("X-ClickHouse-Exception-Code");
            throw new ClickHouseQueryException(
                    code == null ? 0 : Integer.parseInt(code), text(connection.getErrorStream()), null);
        }
        String answer = text(connection.getInputStream());
        return answer.endsWith("\n") ? answer.substring(0, answer.length() - 1) : answer;
    }

    private static String text(@Nullable InputStream stream) throws IOException {
        if (stream == null) {
            return "(no body)";
        }
        try (stream) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
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
