package dev.porcupine.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A ClickHouse user of a test server, defined in users.xml because the engine has no writable access storage.
 *
 * @param settings become a profile of the user's own, for example {@code final=1}
 * @param grants what follows GRANT, for example {@code SELECT ON db.*}; empty means every right
 */
public record ClickHouseUser(
        String name, String password, Map<String, String> settings, List<String> grants, List<RowFilter> rowFilters) {

    /**
     * A permissive row policy for this user. The filter is an SQL condition.
     *
     * @param table empty for a policy on the whole database
     */
    public record RowFilter(String database, String table, String filter) {}

    public ClickHouseUser {
        settings = Map.copyOf(settings);
        grants = List.copyOf(grants);
        rowFilters = List.copyOf(rowFilters);
    }

    public static ClickHouseUser named(String name, String password) {
        return new ClickHouseUser(name, password, Map.of(), List.of(), List.of());
    }

    public ClickHouseUser withSetting(String setting, Object value) {
        Map<String, String> more = new LinkedHashMap<>(settings);
        more.put(setting, String.valueOf(value));
        return new ClickHouseUser(name, password, more, grants, rowFilters);
    }

    /** @param grant for example {@code SELECT ON db.*}; the first one takes away the default of every right */
    public ClickHouseUser withGrant(String grant) {
        List<String> more = new ArrayList<>(grants);
        more.add(grant);
        return new ClickHouseUser(name, password, settings, more, rowFilters);
    }

    public ClickHouseUser withRowFilter(String database, String table, String filter) {
        List<RowFilter> more = new ArrayList<>(rowFilters);
        more.add(new RowFilter(database, table, filter));
        return new ClickHouseUser(name, password, settings, grants, more);
    }

    /** Without the password: this text reaches logs. */
    @Override
    public String toString() {
        return "ClickHouseUser[" + name + ", settings " + settings + ", grants " + grants + ", rowFilters " + rowFilters
                + "]";
    }
}
