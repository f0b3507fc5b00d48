-- Projects that are being removed, and for ever the numbers of those that were: a row outlives its project. While there is a row, the
-- project takes no writes and can't be seen. Nothing but numbers and times stays here.
--
-- The counts say what left so far; they change in the transactions that remove the rows. history_rows: what history was seen to hold.
create table project_removals (
    project_id integer primary key,
    stage text not null check (stage in ('queue', 'delivery', 'history', 'receipts', 'done')),
    requested_at integer not null,
    stage_since integer not null,
    queued integer not null default 0,
    quarantined integer not null default 0,
    history_rows integer not null default 0,
    receipts integer not null default 0,
    heads integer not null default 0
) strict;
