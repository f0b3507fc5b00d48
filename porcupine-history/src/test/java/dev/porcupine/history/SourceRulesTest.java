package dev.porcupine.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.SourceFacts.RowPolicy;
import dev.porcupine.history.SourceFacts.SkipIndex;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules by themselves, in states that a test server can't be brought into and in spellings that it rarely shows. */
class SourceRulesTest {

    private static final String HEAD =
            "ReplacingMergeTree(revision) PARTITION BY toYYYYMM(received_at) ORDER BY (project_id, uuid)";
    private static final String SETTINGS =
            " SETTINGS index_granularity = 8192, fsync_after_insert = 1, fsync_part_directory = 1,"
                    + " max_suspicious_broken_parts = 0, max_suspicious_broken_parts_bytes = 0";
    private static final String OWN_TTL = "toDateTime(received_at) + toIntervalSecond(2592000) TO VOLUME 'cold'";

    private String engine = HEAD + SETTINGS;
    private String columns = "";
    private Map<String, String> defaults = Map.of();
    private List<String> mutations = List.of();
    private List<String> detached = List.of();
    private List<RowPolicy> policies = List.of();
    private @Nullable String ownTtl;

    @Test
    void a_sound_table_gives_no_finding() {
        assertThat(codes(Reliance.PINNED)).isEmpty();
        engine = HEAD.replace(" ORDER BY", " PRIMARY KEY (project_id, uuid) ORDER BY") + SETTINGS;
        assertThat(codes(Reliance.PINNED)).isEmpty();
    }

    @Test
    void restrictive_policy_is_refused_whomever_it_is_for() {
        policies = List.of(policy("events", true, "1", false), policy("events", false, "1", true));
        assertThat(codes(Reliance.PINNED)).containsExactly("source_restrictive_policy");
        policies = List.of(policy("", true, "project_id = 1", false));
        assertThat(codes(Reliance.PINNED)).containsExactly("source_restrictive_policy");
    }

    @Test
    void any_policy_needs_an_unrestricted_one_that_applies_to_the_operator() {
        policies = List.of(policy("events", false, "project_id = 1", false));
        assertThat(codes(Reliance.PINNED)).containsExactly("source_policy_without_exemption");
        policies = List.of(policy("", false, "1", false), policy("events", false, "project_id > 0", true));
        assertThat(codes(Reliance.PINNED)).containsExactly("source_policy_without_exemption");
        policies = List.of(policy("", false, "project_id = 1", false), policy("", false, "true", true));
        assertThat(codes(Reliance.PINNED)).isEmpty();
    }

    @Test
    void policy_without_a_filter_is_not_taken_for_an_unrestricted_one() {
        policies = List.of(policy("events", false, "", true));
        assertThat(codes(Reliance.PINNED)).containsExactly("source_policy_without_exemption");
    }

    @Test
    void policy_on_a_system_table_is_refused() {
        policies = List.of(new RowPolicy("p ON system.tables", "system", "tables", false, "1", true));
        assertThat(codes(Reliance.PINNED)).containsExactly("source_metadata_filtered");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "toDateTime(received_at) + toIntervalSecond(2592000)",
                "toDateTime(received_at) + toIntervalSecond(2592000) DELETE",
                "toDateTime(received_at) + toIntervalSecond(2592000) TO VOLUME 'cold2'",
                "toDateTime(received_at) + toIntervalSecond(2592000) TO DISK 'cold'",
                "toDateTime(received_at) + toIntervalDay(30) TO VOLUME 'cold'",
                "toDateTime(received_at) + toIntervalSecond(2592000) RECOMPRESS CODEC(ZSTD(17))",
                OWN_TTL + ", toDateTime(received_at) + toIntervalSecond(9)",
                OWN_TTL + " WHERE project_id = 1"
            })
    void every_other_ttl_is_refused(String ttl) {
        ownTtl = OWN_TTL;
        engine = HEAD + " TTL " + ttl + SETTINGS;
        assertThat(codes(Reliance.PINNED)).containsExactly("source_unrecognised_ttl");
    }

    @Test
    void own_ttl_is_recognised_whatever_its_time() {
        ownTtl = OWN_TTL;
        engine = HEAD + " TTL " + OWN_TTL + SETTINGS;
        assertThat(judge(Reliance.PINNED)).isEqualTo(new SourceRules.Judgement(List.of(), List.of()));
        engine = HEAD + " TTL " + OWN_TTL.replace("2592000", "60") + SETTINGS;
        assertThat(codes(Reliance.PINNED)).isEmpty();
        assertThat(judge(Reliance.PINNED).warnings())
                .extracting(Finding::code)
                .containsExactly("source_cold_storage_differs");
        ownTtl = null;
        assertThat(codes(Reliance.PINNED)).containsExactly("source_unrecognised_ttl");
    }

    @Test
    void column_ttl_is_told_from_names_and_texts_that_say_ttl() {
        columns = ", `we TTL ird` String DEFAULT 'a TTL b\\'c TTL', `x\\`TTL` String";
        assertThat(codes(Reliance.PINNED)).isEmpty();
        columns = ", `c` String TTL received_at + toIntervalDay(1)";
        assertThat(codes(Reliance.PINNED)).containsExactly("source_column_ttl");
        ownTtl = OWN_TTL;
        engine = HEAD + " TTL " + OWN_TTL + SETTINGS;
        assertThat(codes(Reliance.PINNED)).containsExactly("source_column_ttl");
    }

    @Test
    void cleanup_counts_by_what_is_in_effect() {
        String setting = "allow_experimental_replacing_merge_with_cleanup";
        defaults = Map.of(setting, "1");
        assertThat(codes(Reliance.PINNED)).containsExactly("source_cleanup_enabled");
        engine = HEAD + SETTINGS + ", " + setting + " = 0";
        assertThat(codes(Reliance.PINNED)).isEmpty();
        engine = HEAD + SETTINGS + ", storage_policy = 'a SETTINGS b', some_replacing_cleanup_of_later = 'yes'";
        defaults = Map.of();
        assertThat(codes(Reliance.PINNED)).containsExactly("source_cleanup_enabled");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(DELETE WHERE project_id = 1)",
                "DELETE WHERE 1",
                "(UPDATE _row_exists = 0 WHERE revision = 3)",
                "(UPDATE `_row_exists` = 0 WHERE revision = 3)",
                "(APPLY DELETED MASK)",
                "(DELETE IN PARTITION 202612 WHERE 1)",
                "(SOMETHING NEW)",
                ""
            })
    void mutation_that_may_remove_rows_is_refused_where_history_is_relied_on(String command) {
        mutations = List.of("(MATERIALIZE INDEX uuid_bloom)", command);
        assertThat(codes(Reliance.PINNED)).containsExactly("source_rows_removed");
        assertThat(codes(Reliance.COMING)).containsExactly("source_rows_removed");
        assertThat(codes(Reliance.NONE)).isEmpty();
        assertThat(judge(Reliance.NONE).warnings()).extracting(Finding::code).containsExactly("source_rows_removed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(MATERIALIZE INDEX uuid_bloom)",
                "(MATERIALIZE TTL)",
                "(MODIFY COLUMN `properties` String)",
                "(UPDATE properties = 'DELETE' WHERE distinct_id = 'x')"
            })
    void mutation_that_keeps_every_identity_is_let_through(String command) {
        mutations = List.of(command);
        assertThat(codes(Reliance.PINNED)).isEmpty();
    }

    @Test
    void detached_part_is_a_trace_of_removed_rows() {
        detached = List.of("202612_1_1_0 (broken-on-start)");
        assertThat(codes(Reliance.PINNED)).containsExactly("source_rows_removed");
    }

    @Test
    void durability_is_a_warning() {
        engine = HEAD + " SETTINGS index_granularity = 8192, fsync_after_insert = 0,"
                + " max_suspicious_broken_parts = 100, max_suspicious_broken_parts_bytes = 0";
        assertThat(codes(Reliance.PINNED)).isEmpty();
        assertThat(judge(Reliance.PINNED).warnings())
                .extracting(Finding::code)
                .containsExactly("source_not_durable", "source_not_durable", "source_not_durable");
    }

    private List<String> codes(Reliance reliance) {
        return judge(reliance).refusing().stream().map(Finding::code).toList();
    }

    private SourceRules.Judgement judge(Reliance reliance) {
        Map<String, String> types = new HashMap<>();
        ClickHouseTable.COLUMNS.forEach(column -> types.put(column.name(), column.type()));
        TableFacts table = new TableFacts(
                UUID.randomUUID().toString(),
                "ReplacingMergeTree",
                engine,
                "CREATE TABLE p.events (`uuid` UUID" + columns + ") ENGINE = " + engine,
                "project_id, uuid",
                "toYYYYMM(received_at)");
        return new SourceRules("`p`.`events`", Set.of(), new OwnRemovals(number -> number == 7))
                .judge(
                        new SourceFacts(
                                "porcupine",
                                table,
                                "Atomic",
                                types,
                                defaults,
                                Set.of(),
                                List.of(
                                        new SkipIndex("uuid_bloom", "bloom_filter", "uuid"),
                                        new SkipIndex("uuid_range", "minmax", "toUInt128(uuid)")),
                                List.of(),
                                mutations,
                                0,
                                detached,
                                policies,
                                ownTtl),
                        reliance);
    }

    private static RowPolicy policy(String table, boolean restrictive, String filter, boolean applies) {
        return new RowPolicy("some ON p." + table, "p", table, restrictive, filter, applies);
    }
}
