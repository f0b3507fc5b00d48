-- Additive only: an old ledger keeps every row as it is. Each column is nullable and without default or check, so that
-- SQLite changes the schema's text and touches no row.

-- The protocol marker. Every insert of a receipt-aware release sets it; an older release's insert leaves it null.
alter table event_queue add column protocol integer;

-- Which pinned source proved the receipt: the UUID of its table. Null: unproven, and so never evicted.
alter table event_receipts add column provenance blob;

-- Ascends in the order of settlement, for "oldest settled first". Null for receipts of the first release.
alter table event_receipts add column settled_seq integer;

-- 32 bits over event name and distinct_id, by which a duplicate that differs from the first one is told. Null: not known.
alter table event_receipts add column content_tag integer;

-- Holds nothing but what may be evicted: it costs a ledger without a limit nothing.
create index event_receipts_eviction on event_receipts (settled_seq) where provenance is not null;

-- One row of counters, changed in the transactions that change what they count: exact after a crash, read without a scan.
-- complete: 1 until the first eviction, or the first receipt omitted because a head makes it redundant.
create table ledger_state (
    id integer primary key check (id = 1),
    receipts integer not null,
    unproven_receipts integer not null,
    evicted_receipts integer not null,
    complete integer not null check (complete in (0, 1)),
    queue_events integer not null,
    queue_bytes integer not null,
    quarantined integer not null,
    heads integer not null,
    next_settled_seq integer not null
) strict;

insert into ledger_state (
    id, receipts, unproven_receipts, evicted_receipts, complete, queue_events, queue_bytes, quarantined, heads,
    next_settled_seq
)
select 1, r.n, r.n, 0, 1, q.n, q.bytes, (select count(*) from event_quarantine), (select count(*) from mutation_heads), 1
from (select count(*) as n from event_receipts) as r,
    (select count(*) as n, coalesce(sum(bytes), 0) as bytes from event_queue) as q;
