package dev.porcupine.history;

import dev.porcupine.schema.LedgerLineage;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One line that changes whenever somebody changes what verification looks at: the server, the identity and definition of the table and of
 * its table of marks, the row policies over them, the events' mutations and detached parts, and the marks of others: of this ledger's other
 * processes, and which other ledgers there are. This process's own marks don't change it. A verified source keeps the stamp that was read
 * before the look; an insert or a probe counts only while the server still gives the same one, so that a policy made a second ago can't hide
 * rows until the next look.
 */
final class SourceStamp {

    /** Of the form of a project's removal; the server keeps a hundred that are done. Above this they are one hash, as all others always are. */
    private static final int MUTATIONS_MAX = 200;

    private SourceStamp() {}

    /**
     * The stamp of a line that the server gave: the same without Porcupine's own removals of projects, which take nothing from anybody
     * else's lookups.
     */
    static String of(String line, OwnRemovals removals) {
        int mutations = line.lastIndexOf(' ') + 1;
        return line.substring(0, mutations)
                + Arrays.stream(line.substring(mutations).split(",", -1))
                        .filter(mutation -> !removals.own(command(mutation)))
                        .collect(Collectors.joining(","));
    }

    private static String command(String mutation) {
        int hex = mutation.indexOf(':') + 1;
        return hex == 0 ? "" : new String(HexFormat.of().parseHex(mutation.substring(hex)), StandardCharsets.UTF_8);
    }

    /** One row of one text column, or no row where there is no such table. Names are checked, so quoting is safe. */
    static String sql(ClickHouseTable table, @Nullable LedgerLineage ledger) {
        return """
                select coalesce(concat(
                    toString(uuid), ' ',
                    toString(serverUUID()), ' ',
                    toString((
                        select sipHash64(any(toString(uuid)), any(create_table_query))
                        from system.tables
                        where database = '%1$s' and name = '%3$s')), ' ',
                    %4$s
                    toString(sipHash64(create_table_query)), ' ',
                    toString((
                        select sipHash64(arraySort(groupArray(concat(
                            name, toString(id), toString(is_restrictive), coalesce(select_filter, ''), toString(apply_to_all),
                            toString(apply_to_list), toString(apply_to_except)))))
                        from system.row_policies
                        where (database in ('%1$s', '') and table in ('%2$s', '%3$s', '')) or database = 'system')), ' ',
                    toString((
                        select count()
                        from system.detached_parts
                        where database = '%1$s' and table = '%2$s' and reason not in ('ignored', 'clone', 'deleting'))), ' ',
                    (
                        select concat(
                            toString(sipHash64(arraySort(groupArrayIf(concat(mutation_id, command), not own)))), ' ',
                            if(
                                countIf(own) > %5$d,
                                toString(sipHash64(arraySort(groupArrayIf(concat(mutation_id, command), own)))),
                                arrayStringConcat(arraySort(groupArrayIf(concat(hex(mutation_id), ':', hex(command)), own)), ',')))
                        from (
                            select mutation_id, command, match(command, '^[( ]*DELETE WHERE [( ]*project_id = [0-9]+[) ]*$') as own
                            from system.mutations
                            where database = '%1$s' and table = '%2$s'))), '') as stamp
                from system.tables
                where database = '%1$s' and name = '%2$s'
                """.formatted(
                        table.database(),
                        table.name(),
                        table.ledgersName(),
                        ledger == null ? "" : others(table, ledger),
                        MUTATIONS_MAX);
    }

    /** Aggregated, so that merges change nothing. */
    private static String others(ClickHouseTable table, LedgerLineage ledger) {
        return """
                toString((
                    select sipHash64(arraySort(groupArray((name, seq, at))))
                    from (
                        select
                            if(ledger_id = toUUID('%2$s'), toString(epoch), toString(ledger_id)) as name,
                            maxIf(accepted_seq, ledger_id = toUUID('%2$s')) as seq,
                            maxIf(last_at, ledger_id = toUUID('%2$s')) as at
                        from %1$s
                        where not (ledger_id = toUUID('%2$s') and epoch = toUUID('%3$s'))
                        group by name))), ' ',
                """.formatted(table.ledgers(), ledger.ledger(), ledger.epoch());
    }
}
