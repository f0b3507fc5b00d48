package dev.porcupine.history;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Whether the operator's user may see what verification looks at (P45). ClickHouse leaves out of an answer what a user may not see, so
 * without these rights an empty answer would look like a clean table. Asked of the server itself, which knows roles, wildcards and
 * partial revokes.
 */
final class SourceAuthority {

    /** System tables that ClickHouse shows only to whom they are granted. Where it grants them to all, the check says so. */
    static final List<String> SYSTEM_TABLES = List.of(
            "merge_tree_settings", "data_skipping_indices", "projections", "mutations", "parts", "detached_parts");

    private final ClickHouseTable table;

    SourceAuthority(ClickHouseTable table) {
        this.table = table;
    }

    /** Nothing, or the one finding that names every right that is wanting. */
    List<Finding> findings(JdbcClient client) {
        if (granted(client, String.join(", ", rights()))) {
            return List.of();
        }
        List<String> wanting = new ArrayList<>();
        for (String right : rights()) {
            if (!granted(client, right)) {
                wanting.add(right);
            }
        }
        return List.of(FindingCode.SOURCE_UNAUTHORISED.finding(
                "the user may not see everything on which the safety of the table rests, so that hidden would look like"
                        + " clean. Run: GRANT " + String.join("; GRANT ", wanting) + " (each ... TO the user)"));
    }

    private static boolean granted(JdbcClient client, String rights) {
        return client.sql("check grant " + rights).query(Integer.class).single() == 1;
    }

    List<String> rights() {
        return Stream.concat(
                        Stream.of(
                                "SHOW TABLES, SHOW COLUMNS, SELECT, INSERT ON " + table.qualified(),
                                "SHOW TABLES, SHOW COLUMNS, SELECT, INSERT ON " + table.ledgers(),
                                "SHOW ROW POLICIES ON *.*"),
                        SYSTEM_TABLES.stream().map(system -> "SELECT ON system." + system))
                .toList();
    }
}
