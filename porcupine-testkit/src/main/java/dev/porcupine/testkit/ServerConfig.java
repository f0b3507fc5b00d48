package dev.porcupine.testkit;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The two configuration files of a test server, for the engine and for a container alike. */
final class ServerConfig {

    /** The macro whose value tells this start of the server from any other that may answer on the port. */
    static final String START_MACRO = "porcupine_start";

    /** The engine shares a small machine with the build; far below it Porcupine's own probes are limited to 64 MiB. */
    private static final long MEMORY_BYTES_MAX = 4_000_000_000L;

    private ServerConfig() {}

    /**
     * What the engine and a container's config.d have in common.
     *
     * @param coldPath absolute, ends in a slash
     * @param backupPath absolute, ends in a slash
     */
    static String common(ClickHouseOptions options, String startId, String coldPath, String backupPath) {
        return """
                  <max_server_memory_usage>%d</max_server_memory_usage>
                  <macros><%s>%s</%s></macros>
                  <query_log>
                    <database>system</database>
                    <table>query_log</table>
                    <flush_interval_milliseconds>1000</flush_interval_milliseconds>
                  </query_log>
                  <storage_configuration>
                    <disks>
                      <cold_files>
                        <type>object_storage</type>
                        <object_storage_type>local_blob_storage</object_storage_type>
                        <metadata_type>local</metadata_type>
                        <path>%s</path>
                      </cold_files>
                    </disks>
                    <policies>
                      <%s>
                        <volumes>
                          <%s><disk>default</disk></%s>
                          <%s><disk>cold_files</disk></%s>
                        </volumes>
                        <move_factor>0</move_factor>
                      </%s>
                    </policies>
                  </storage_configuration>
                  <backups><allowed_path>%s</allowed_path></backups>
                %s
                """.formatted(
                        MEMORY_BYTES_MAX,
                        START_MACRO,
                        startId,
                        START_MACRO,
                        text(coldPath),
                        ClickHouseOptions.STORAGE_POLICY,
                        ClickHouseOptions.HOT_VOLUME,
                        ClickHouseOptions.HOT_VOLUME,
                        ClickHouseOptions.COLD_VOLUME,
                        ClickHouseOptions.COLD_VOLUME,
                        ClickHouseOptions.STORAGE_POLICY,
                        text(backupPath),
                        String.join("\n", options.serverXml()));
    }

    /** users.xml whole. {@code default} has no password, on loopback: the engine's own session is that user. */
    static String users(ClickHouseOptions options, boolean loopbackOnly) {
        StringBuilder profiles = new StringBuilder();
        StringBuilder users = new StringBuilder();
        append(profiles, users, ClickHouseUser.named("default", ""), true);
        append(profiles, users, options.operator(), loopbackOnly);
        for (ClickHouseUser user : options.users()) {
            append(profiles, users, user, loopbackOnly);
        }
        return "<clickhouse>\n<profiles>\n" + profiles + "</profiles>\n<users>\n" + users
                + "</users>\n<quotas><default/></quotas>\n</clickhouse>\n";
    }

    private static void append(StringBuilder profiles, StringBuilder users, ClickHouseUser user, boolean loopbackOnly) {
        profiles.append("<").append(user.name()).append(">\n");
        new TreeMap<>(user.settings())
                .forEach((name, value) -> profiles.append("  <%s>%s</%s>\n".formatted(name, text(value), name)));
        profiles.append("</").append(user.name()).append(">\n");

        users.append("<").append(user.name()).append(">\n");
        users.append("  <password>").append(text(user.password())).append("</password>\n");
        users.append(
                loopbackOnly
                        ? "  <networks><ip>127.0.0.1</ip><ip>::1</ip></networks>\n"
                        : "  <networks><ip>::/0</ip></networks>\n");
        users.append("  <profile>").append(user.name()).append("</profile>\n");
        users.append("  <quota>default</quota>\n");
        List<String> grants = user.grants().isEmpty() ? List.of("ALL ON *.* WITH GRANT OPTION") : user.grants();
        users.append("  <grants>\n");
        grants.forEach(
                grant -> users.append("    <query>GRANT ").append(text(grant)).append("</query>\n"));
        users.append("  </grants>\n");
        appendRowFilters(users, user);
        users.append("</").append(user.name()).append(">\n");
    }

    private static void appendRowFilters(StringBuilder users, ClickHouseUser user) {
        if (user.rowFilters().isEmpty()) {
            return;
        }
        Map<String, StringBuilder> byDatabase = new TreeMap<>();
        for (ClickHouseUser.RowFilter filter : user.rowFilters()) {
            byDatabase
                    .computeIfAbsent(filter.database(), database -> new StringBuilder())
                    .append("      <table name=\"%s\"><filter>%s</filter></table>\n"
                            .formatted(filter.table(), text(filter.filter())));
        }
        users.append("  <databases>\n");
        byDatabase.forEach(
                (database, tables) -> users.append("    <%s>\n%s    </%s>\n".formatted(database, tables, database)));
        users.append("  </databases>\n");
    }

    static String text(String raw) {
        return raw.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
