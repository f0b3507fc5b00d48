package dev.porcupine.history;

/**
 * One line that changes whenever somebody changes what verification looks at: the table's identity and definition, the row policies over
 * it, its mutations and its detached parts. A verified source keeps the stamp that was read before the look; an insert or a probe counts only while the server
 * still gives the same one, so that a policy made a second ago can't hide rows until the next look.
 */
final class SourceStamp {

    private SourceStamp() {}

    /** One row of one text column, or no row where there is no such table. Names are checked, so quoting is safe. */
    static String sql(ClickHouseTable table) {
        return """
                select coalesce(concat(
                    toString(uuid), ' ',
                    toString(sipHash64(create_table_query)), ' ',
                    toString((
                        select sipHash64(arraySort(groupArray(concat(
                            name, toString(id), toString(is_restrictive), coalesce(select_filter, ''), toString(apply_to_all),
                            toString(apply_to_list), toString(apply_to_except)))))
                        from system.row_policies
                        where (database in ('%1$s', '') and table in ('%2$s', '')) or database = 'system')), ' ',
                    toString((
                        select sipHash64(arraySort(groupArray(concat(mutation_id, command))))
                        from system.mutations
                        where database = '%1$s' and table = '%2$s')), ' ',
                    toString((
                        select count()
                        from system.detached_parts
                        where database = '%1$s' and table = '%2$s' and reason not in ('ignored', 'clone', 'deleting')))), '') as stamp
                from system.tables
                where database = '%1$s' and name = '%2$s'
                """.formatted(table.database(), table.name());
    }
}
