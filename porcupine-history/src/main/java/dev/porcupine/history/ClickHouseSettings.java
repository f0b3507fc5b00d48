package dev.porcupine.history;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the history is. Checked here, so that no later step meets a name that it would have to escape.
 *
 * @param url http or https, host and port; without a port ClickHouse's own (8123, 8443)
 * @param database letters, digits and underscores
 * @param table letters, digits and underscores
 * @param storagePolicy the server's storage policy for the table, or its default
 * @param coldVolume the volume of that policy to which old parts move (P57); needs the other two
 * @param coldAfter how long after its receipt an event moves; needs the two above. Unset: nothing moves
 */
public record ClickHouseSettings(
        URI url,
        String database,
        String table,
        String username,
        String password,
        @Nullable String storagePolicy,
        @Nullable String coldVolume,
        @Nullable Duration coldAfter) {

    private static final int HTTP_PORT = 8123;
    private static final int HTTPS_PORT = 8443;
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,63}");

    public ClickHouseSettings {
        url = serverOnly(url);
        requireIdentifier("database", database);
        requireIdentifier("table", table);
        requireUsername(username);
        if (storagePolicy != null) {
            requireIdentifier("storage-policy", storagePolicy);
        }
        if (coldVolume != null) {
            requireIdentifier("cold-volume", coldVolume);
        }
        if (coldVolume != null && coldAfter == null) {
            throw new IllegalArgumentException(
                    "porcupine.clickhouse.cold-volume is " + coldVolume
                            + ", but without porcupine.clickhouse.cold-after nothing moves there; set it, or remove cold-volume");
        }
        if (coldAfter != null) {
            if (storagePolicy == null || coldVolume == null) {
                throw new IllegalArgumentException("porcupine.clickhouse.cold-after is " + coldAfter
                        + ", so events are to move to cold storage, but porcupine.clickhouse.storage-policy is "
                        + storagePolicy + " and porcupine.clickhouse.cold-volume is " + coldVolume
                        + "; set both, or remove cold-after");
            }
            if (coldAfter.toSeconds() < 1) {
                throw new IllegalArgumentException(
                        "porcupine.clickhouse.cold-after must be a second or more, found " + coldAfter);
            }
        }
    }

    /** Without the password: this text reaches logs. */
    @Override
    public String toString() {
        return "table " + database + "." + table + " of ClickHouse at " + url.getHost() + ":" + url.getPort()
                + ", user " + username;
    }

    /**
     * Which history this configuration means, for the ledger's pin (P37): a SHA-256 over address, database and user, in hexadecimal. The
     * password may change, and so may how the address is written in case or with the default port; another name of the same host is
     * another fingerprint, because nothing here can know that it leads to the same server.
     */
    String fingerprint() {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest((url + "\n" + database + "\n" + username).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static URI serverOnly(URI url) {
        String scheme = url.getScheme();
        String path = url.getPath();
        boolean plain = "http".equalsIgnoreCase(scheme);
        boolean bare = url.getHost() != null
                && url.getUserInfo() == null
                && url.getQuery() == null
                && url.getFragment() == null
                && (path == null || path.isEmpty() || path.equals("/"));
        if (!bare || !(plain || "https".equalsIgnoreCase(scheme))) {
            // Not repeated in the message: a rejected URL may hold a password as its user info.
            throw new IllegalArgumentException(
                    "porcupine.clickhouse.url must be http:// or https:// with a host and a port and nothing else, such as"
                            + " http://clickhouse:8123; user and password have properties of their own");
        }
        int port = url.getPort() != -1 ? url.getPort() : plain ? HTTP_PORT : HTTPS_PORT;
        return URI.create((plain ? "http" : "https") + "://" + url.getHost().toLowerCase(Locale.ROOT) + ":" + port);
    }

    private static void requireIdentifier(String property, String value) {
        if (!IDENTIFIER.matcher(value).matches()) {
            throw new IllegalArgumentException("porcupine.clickhouse." + property
                    + " must be 1 to 64 letters, digits and underscores and not start with a digit, found \"" + value
                    + "\"");
        }
    }

    private static void requireUsername(String username) {
        boolean fits = !username.isEmpty()
                && username.indexOf(':') < 0
                && username.chars().noneMatch(Character::isISOControl);
        if (!fits) {
            throw new IllegalArgumentException(
                    "porcupine.clickhouse.username must not be empty and not hold a colon or control characters");
        }
    }
}
