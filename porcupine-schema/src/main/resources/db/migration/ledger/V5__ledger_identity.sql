-- Who this ledger is. History keeps marks under this name; a copy of the file carries the same one.
create table ledger_identity (
    id integer primary key check (id = 1),
    ledger_id blob not null
) strict;

insert into ledger_identity (id, ledger_id) values (1, randomblob(16));

-- Each process that opened this file, in order, and how far the queue's seq had come by then. What an epoch accepted here ends
-- where the next one begins: a mark of history beyond that was made on another copy of this file.
create table ledger_epochs (
    number integer primary key autoincrement,
    epoch blob not null unique,
    opened_seq integer not null,
    opened_at integer not null
) strict;
