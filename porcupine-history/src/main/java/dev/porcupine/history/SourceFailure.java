package dev.porcupine.history;

import com.clickhouse.client.api.ServerException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/** What it means that a look at ClickHouse failed, in words for whoever runs it: no driver's class names, no query ids. */
final class SourceFailure {

    private static final Logger LOG = LoggerFactory.getLogger(SourceFailure.class);

    /** ClickHouse's own messages may quote whole statements. */
    private static final int MESSAGE_CHARS_MAX = 300;

    private SourceFailure() {}

    static Finding finding(Throwable failure, ClickHouseSettings settings) {
        Throwable deepest = failure;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ServerException server) {
                return refused(server, settings);
            }
            deepest = cause;
        }
        String address = settings.url().getHost() + ":" + settings.url().getPort();
        if (deepest instanceof ConnectException || deepest instanceof UnknownHostException) {
            return FindingCode.CLICKHOUSE_UNREACHABLE.finding("no connection to " + address + " ("
                    + deepest.getMessage() + "). Is ClickHouse running there? See porcupine.clickhouse.url");
        }
        if (!(failure instanceof SQLException || failure instanceof DataAccessException)) {
            LOG.warn("Looking at ClickHouse failed unexpectedly", failure);
        }
        return FindingCode.CLICKHOUSE_UNREACHABLE.finding(
                "no understandable answer from " + address + ": " + deepest.getMessage());
    }

    private static Finding refused(ServerException server, ClickHouseSettings settings) {
        return switch (server.getCode()) {
            case 192, 193, 194, 516 ->
                FindingCode.CLICKHOUSE_LOGIN_REFUSED.finding("ClickHouse refuses the login of user '"
                        + settings.username() + "' (error " + server.getCode()
                        + "). See porcupine.clickhouse.username and porcupine.clickhouse.password");
            case 497 ->
                FindingCode.CLICKHOUSE_ACCESS_DENIED.finding(
                        "ClickHouse answered with error 497: " + plain(server.getMessage()));
            default ->
                FindingCode.CLICKHOUSE_REFUSED.finding(
                        "ClickHouse answered with error " + server.getCode() + ": " + plain(server.getMessage()));
        };
    }

    /** The server's sentence without its version and the driver's additions. */
    private static String plain(@Nullable String message) {
        String text = Objects.requireNonNullElse(message, "(no text)");
        int end = text.indexOf(" (version ");
        if (end < 0) {
            end = text.indexOf(" (queryId");
        }
        if (end >= 0) {
            text = text.substring(0, end);
        }
        int exception = text.indexOf("DB::Exception: ");
        if (exception >= 0) {
            text = text.substring(exception + "DB::Exception: ".length());
        }
        return text.length() <= MESSAGE_CHARS_MAX ? text : text.substring(0, MESSAGE_CHARS_MAX) + "…";
    }
}
