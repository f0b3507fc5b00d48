-- Where the search for unproven receipts goes on after a restart: the last identity that was looked at, in key order over all
-- projects. No row: from the start.
create table reconcile_cursor (
    id integer primary key check (id = 1),
    project_id integer not null,
    uuid blob not null
) strict;
