package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.testkit.ClickHouseEndpoint;
import dev.porcupine.testkit.SharedClickHouse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * To whom a row policy applies that is granted to a role. The test engine makes neither roles nor restrictive policies, so the question
 * that verification asks is put, word for word, to copies of the two system tables, filled by hand.
 */
class RolePolicyTest {

    private final ClickHouseEndpoint server = SharedClickHouse.endpoint();
    private final String database = server.freshDatabase();

    @BeforeEach
    void copySystemTables() {
        for (String table : new String[] {"row_policies", "enabled_roles"}) {
            server.query("create table " + database + "." + table + " engine = Memory as select * from system." + table
                    + " where 0");
        }
        server.query("insert into " + database + ".enabled_roles (role_name) values ('readers'), ('everything')");
    }

    @AfterEach
    void drop() {
        server.query("drop database " + database);
    }

    @Test
    void permissive_policy_for_a_role_of_the_operator_applies() {
        policy(0, "1", "0, ['readers'], []");
        assertThat(ask()).isEqualTo("0\t1\t1");
    }

    @Test
    void permissive_policy_for_somebody_elses_role_does_not_apply() {
        policy(0, "1", "0, ['writers'], []");
        assertThat(ask()).isEqualTo("0\t1\t0");
    }

    @Test
    void policy_for_all_but_a_role_of_the_operator_does_not_apply() {
        policy(0, "1", "1, [], ['everything']");
        assertThat(ask()).isEqualTo("0\t1\t0");
    }

    @Test
    void policy_for_all_but_somebody_elses_role_applies() {
        policy(0, "1", "1, [], ['writers', '" + server.user() + "s']");
        assertThat(ask()).isEqualTo("0\t1\t1");
    }

    @Test
    void policy_for_the_operator_itself_applies() {
        policy(0, "project_id = 7", "0, ['" + server.user() + "'], []");
        assertThat(ask()).isEqualTo("0\tproject_id = 7\t1");
    }

    @Test
    void restrictive_policy_for_a_role_is_seen_whomever_the_role_belongs_to() {
        policy(1, "0", "0, ['readers'], []");
        assertThat(ask()).isEqualTo("1\t0\t1");
        server.query("truncate table " + database + ".row_policies");
        policy(1, "0", "0, ['writers'], []");
        assertThat(ask()).isEqualTo("1\t0\t0");
    }

    /**
     * @param whom to all, the list, and who is excepted
     */
    private void policy(int restrictive, String filter, String whom) {
        server.query("insert into " + database + ".row_policies (name, database, table, is_restrictive, select_filter,"
                + " apply_to_all, apply_to_list, apply_to_except) values ('p', 'd', 'events', " + restrictive + ", '"
                + filter + "', " + whom + ")");
    }

    private String ask() {
        String question = SourceReader.POLICIES
                .replace("system.row_policies", database + ".row_policies")
                .replace("system.enabled_roles", database + ".enabled_roles")
                .replace(":database", "'d'")
                .replace(":table", "'events'");
        return server.query("select is_restrictive, filter, applies from (" + question + ")");
    }
}
