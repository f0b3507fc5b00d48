package dev.porcupine.testkit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a test's own ClickHouse is set up.
 *
 * @param folder where data, configuration and log live and outlive the server; null is a temporary folder, removed on
 *     close
 * @param port 0 picks a free one; either way it stays the same over restarts
 * @param operator the user with every right that Porcupine connects as
 * @param users further users
 * @param serverXml further elements of the server's configuration, each complete
 */
public record ClickHouseOptions(
        @Nullable Path folder, int port, ClickHouseUser operator, List<ClickHouseUser> users, List<String> serverXml) {

    /** The default operator's name. */
    public static final String OPERATOR = "porcupine";

    /** The default operator's password; the server listens on loopback alone. */
    public static final String OPERATOR_PASSWORD = "porcupine-test";

    /** Every server's storage policy with the two volumes below. */
    public static final String STORAGE_POLICY = "hot_and_cold";

    public static final String HOT_VOLUME = "hot";

    /** Lies on an object-storage disk over local files, as cold storage does in production. */
    public static final String COLD_VOLUME = "cold";

    public ClickHouseOptions {
        users = List.copyOf(users);
        serverXml = List.copyOf(serverXml);
    }

    public static ClickHouseOptions defaults() {
        return new ClickHouseOptions(null, 0, ClickHouseUser.named(OPERATOR, OPERATOR_PASSWORD), List.of(), List.of());
    }

    public ClickHouseOptions withFolder(Path kept) {
        return new ClickHouseOptions(kept, port, operator, users, serverXml);
    }

    public ClickHouseOptions withPort(int fixed) {
        return new ClickHouseOptions(folder, fixed, operator, users, serverXml);
    }

    public ClickHouseOptions withOperator(ClickHouseUser other) {
        return new ClickHouseOptions(folder, port, other, users, serverXml);
    }

    /** For example {@code final=1} in the operator's profile. */
    public ClickHouseOptions withOperatorSetting(String setting, Object value) {
        return withOperator(operator.withSetting(setting, value));
    }

    public ClickHouseOptions withUser(ClickHouseUser user) {
        List<ClickHouseUser> more = new ArrayList<>(users);
        more.add(user);
        return new ClickHouseOptions(folder, port, operator, more, serverXml);
    }

    /** For example {@code <merge_tree><min_bytes_for_wide_part>0</min_bytes_for_wide_part></merge_tree>}. */
    public ClickHouseOptions withServerXml(String element) {
        List<String> more = new ArrayList<>(serverXml);
        more.add(element);
        return new ClickHouseOptions(folder, port, operator, users, more);
    }
}
