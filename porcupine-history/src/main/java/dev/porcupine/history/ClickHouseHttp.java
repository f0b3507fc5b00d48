package dev.porcupine.history;

import dev.porcupine.history.HttpOutcome.Broken;
import dev.porcupine.history.HttpOutcome.Complete;
import dev.porcupine.history.HttpOutcome.Reason;
import dev.porcupine.history.HttpOutcome.Refused;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One HTTP exchange with ClickHouse, ended by a total deadline that includes the answer's body, capped in bytes, never repeated and
 * never redirected. Thread-safe.
 *
 * <p>An answer counts as ClickHouse's only when it echoes the query id that this request carried: a load balancer's page with
 * status 200 does not. Every exchange asks for {@code wait_end_of_query}, without which an error in mid-answer is a 200 with a cut
 * body; and an answer whose end HTTP doesn't mark is refused, because a cut one would look whole.
 *
 * <p>Requests are POSTs: the JDK's client silently repeats a GET on a stale connection. The password travels in the
 * {@code Authorization} header as UTF-8, never in the URL.
 */
final class ClickHouseHttp implements AutoCloseable {

    /** A server that doesn't even take a connection is told from a slow one before the total deadline. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);

    /** Error texts may quote a whole row; the part that explains comes first, the error's name last. */
    private static final int MESSAGE_CHARACTERS = 600;

    private static final String QUERY_ID = "X-ClickHouse-Query-Id";
    private static final String EXCEPTION_CODE = "X-ClickHouse-Exception-Code";
    private static final String SUMMARY = "X-ClickHouse-Summary";
    private static final Pattern ERROR_CODE = Pattern.compile("\\d{1,9}");
    private static final Pattern WRITTEN_ROWS = Pattern.compile("\"written_rows\":\"?(\\d{1,18})");
    private static final Pattern RESULT_ROWS = Pattern.compile("\"result_rows\":\"?(\\d{1,18})");

    private final URI url;
    private final String authorization;
    private final HttpClient client;

    ClickHouseHttp(ClickHouseSettings settings) {
        url = settings.url();
        byte[] login = (settings.username() + ":" + settings.password()).getBytes(StandardCharsets.UTF_8);
        authorization = "Basic " + Base64.getEncoder().encodeToString(login);
        client = HttpClient.newBuilder()
                .version(Version.HTTP_1_1)
                .followRedirects(Redirect.NEVER)
                .connectTimeout(CONNECT_TIMEOUT)
                .build();
    }

    /** Sends the request and waits for the end of the answer, at most until the deadline. Never throws for what the server does. */
    HttpOutcome exchange(ClickHouseRequest request) {
        String queryId = UUID.randomUUID().toString();
        HttpRequest post = HttpRequest.newBuilder(address(request.parameters(), queryId))
                .header("Authorization", authorization)
                .POST(request.body())
                .build();
        BodyHandler<ByteBuffer> capped = head -> new CappedBody(request.responseBytesMax());
        CompletableFuture<HttpResponse<ByteBuffer>> pending = client.sendAsync(post, capped);
        try {
            return judge(pending.get(request.deadline().toNanos(), TimeUnit.NANOSECONDS), queryId);
        } catch (TimeoutException e) {
            pending.cancel(true); // closes the connection: a read-only query stops on the server, too
            return new Broken(
                    Reason.DEADLINE,
                    "no complete answer within " + request.deadline().toMillis() + " ms");
        } catch (InterruptedException e) {
            pending.cancel(true);
            Thread.currentThread().interrupt();
            return new Broken(Reason.ABANDONED, "interrupted while waiting for the answer");
        } catch (ExecutionException e) {
            return broken(e.getCause() == null ? e : e.getCause());
        }
    }

    /** Ends every exchange under way. */
    @Override
    public void close() {
        client.shutdownNow();
    }

    private URI address(Map<String, String> parameters, String queryId) {
        String query = parameters.entrySet().stream()
                .map(parameter ->
                        parameter.getKey() + "=" + URLEncoder.encode(parameter.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        return URI.create(url + "/?wait_end_of_query=1&query_id=" + queryId + "&" + query);
    }

    private static HttpOutcome judge(HttpResponse<ByteBuffer> response, String queryId) {
        HttpHeaders headers = response.headers();
        boolean running = headers.firstValue(QUERY_ID).filter(queryId::equals).isPresent();
        Matcher code = ERROR_CODE.matcher(headers.firstValue(EXCEPTION_CODE).orElse(""));
        if (code.matches()) {
            return new Refused(Integer.parseInt(code.group()), message(response.body()), running);
        }
        if (response.statusCode() != 200
                || !running
                || headers.firstValue(EXCEPTION_CODE).isPresent()) {
            return new Broken(
                    Reason.NOT_CLICKHOUSE,
                    "HTTP " + response.statusCode() + (running ? "" : " without this query's id")
                            + ": something other than ClickHouse answered, such as a proxy or a load balancer");
        }
        boolean delimited = headers.firstValue("Content-Length").isPresent()
                || headers.firstValue("Transfer-Encoding").isPresent();
        if (!delimited) {
            return new Broken(Reason.CUT, "the answer doesn't say where it ends, so a cut one would look whole");
        }
        String summary = headers.firstValue(SUMMARY).orElse("");
        return new Complete(response.body(), number(summary, WRITTEN_ROWS), number(summary, RESULT_ROWS));
    }

    private static OptionalLong number(String summary, Pattern field) {
        Matcher matcher = field.matcher(summary);
        return matcher.find() ? OptionalLong.of(Long.parseLong(matcher.group(1))) : OptionalLong.empty();
    }

    private static String message(ByteBuffer body) {
        String text = StandardCharsets.UTF_8.decode(body).toString().strip();
        if (text.length() <= MESSAGE_CHARACTERS) {
            return text;
        }
        int half = MESSAGE_CHARACTERS / 2;
        return text.substring(0, half) + " … " + text.substring(text.length() - half);
    }

    private static Broken broken(Throwable failure) {
        return switch (failure) {
            case CappedBody.OverCapException e -> new Broken(Reason.TOO_LARGE, String.valueOf(e.getMessage()));
            case ConnectException e -> new Broken(Reason.UNREACHABLE, "no connection: " + reason(e));
            case HttpConnectTimeoutException e -> new Broken(Reason.UNREACHABLE, "no connection: " + reason(e));
            case IOException e -> new Broken(Reason.CUT, "the connection broke: " + reason(e));
            default -> new Broken(Reason.ABANDONED, "the exchange ended: " + failure);
        };
    }

    private static String reason(IOException failure) {
        Throwable deepest = failure;
        while (deepest.getMessage() == null && deepest.getCause() != null) {
            deepest = deepest.getCause();
        }
        return deepest.getMessage() == null ? deepest.getClass().getSimpleName() : deepest.getMessage();
    }
}
