-- The one history that this ledger trusts, from the first provenance on. Only a restore may ever change it.
create table source_pin (
    id integer primary key check (id = 1),
    table_uuid blob not null,
    fingerprint text not null,
    pinned_at integer not null
) strict;

-- A release that never asks history would take an evicted event for a new one. Its inserts carry no protocol marker; once a receipt
-- may be missing here they are refused, whatever their form.
create trigger event_queue_needs_receipt_aware_writer
before insert on event_queue
when new.protocol is null and (select complete from ledger_state where id = 1) = 0
begin
    select raise(abort, 'porcupine: this ledger has evicted receipts, and this release does not ask history for them. It must not write here: run a receipt-aware release, or restore a coordinated backup from before the first eviction');
end;
