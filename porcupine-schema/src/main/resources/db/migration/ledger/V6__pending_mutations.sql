-- Whether a head's newest revision still waits for history, in queue or quarantine: 1 until it is settled, then 0. Null: a head from
-- before this column. Reads lay the pending ones over history, and find them here without touching the queue: an index there would
-- cost every captured event.
alter table mutation_heads add column pending integer;

create index mutation_heads_pending on mutation_heads (project_id, uuid) where pending = 1;
