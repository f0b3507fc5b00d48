package dev.porcupine.history;

import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * @param url http or https, host and port
 * @param storagePolicy with {@code coldVolume} and {@code coldAfter}: where old parts move (P57)
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

    /** Without the password: this text reaches logs. */
    @Override
    public String toString() {
        return "ClickHouseSettings[" + url.getHost() + ":" + url.getPort() + ", " + database + "." + table + ", user "
                + username + "]";
    }
}
