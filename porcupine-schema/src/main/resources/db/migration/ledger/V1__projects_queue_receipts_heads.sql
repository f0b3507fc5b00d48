-- The ledger of the first release: it keeps every receipt, and receipts know nothing of history.
--
-- event_queue, event_quarantine, event_receipts and mutation_heads are neither STRICT nor do they carry CHECK
-- constraints, on purpose: on such a table SQLite runs a quick_check of every row for each later ADD COLUMN, which takes
-- minutes on a large ledger. The ledger's only writer checks what it binds.
--
-- A narrow column comes before a wide one: what lies behind a payload is reached only through its overflow pages.

-- autoincrement: a project's number is never used again, so that no receipt can be taken for one of a later project.
create table projects (
    id integer primary key autoincrement,
    name text not null,
    created_at integer not null
) strict;

-- secret_hash is the SHA-256 of the secret; the secret itself is stored nowhere.
create table project_tokens (
    id integer primary key autoincrement,
    project_id integer not null references projects (id),
    secret_hash blob not null unique,
    hint text not null,
    created_at integer not null,
    revoked_at integer
) strict;

create index project_tokens_project on project_tokens (project_id);

-- Accepted events that history has not acknowledged yet. A queued event carries its own identity: it has no receipt.
-- autoincrement: a seq names one acceptance for ever, so that settling it twice can't touch another event.
create table event_queue (
    seq integer primary key autoincrement,
    project_id integer not null references projects (id),
    uuid blob not null,
    revision integer not null,
    is_deleted integer not null,
    name text not null,
    distinct_id text not null,
    timestamp_us integer not null,
    received_at integer not null,
    bytes integer not null,
    properties blob not null
);

-- The only index beside the key. A second one costs more than a third of the throughput.
create unique index event_queue_identity on event_queue (project_id, uuid, revision);

-- Accepted events that history refused for their own sake. They keep payload and identity.
create table event_quarantine (
    seq integer primary key autoincrement,
    project_id integer not null references projects (id),
    uuid blob not null,
    revision integer not null,
    is_deleted integer not null,
    name text not null,
    distinct_id text not null,
    timestamp_us integer not null,
    received_at integer not null,
    bytes integer not null,
    quarantined_at integer not null,
    reason text not null,
    properties blob not null
);

create unique index event_quarantine_identity on event_quarantine (project_id, uuid, revision);

create index event_quarantine_listing on event_quarantine (project_id, seq);

-- Identities that were accepted and delivered. without rowid: 26 bytes a receipt instead of 57.
create table event_receipts (
    project_id integer not null references projects (id),
    uuid blob not null,
    received_at integer not null,
    primary key (project_id, uuid)
) without rowid;

-- The newest revision of every event that was ever mutated. Heads stay for as long as their project.
create table mutation_heads (
    project_id integer not null references projects (id),
    uuid blob not null,
    revision integer not null,
    is_deleted integer not null,
    received_at integer not null,
    primary key (project_id, uuid)
) without rowid;
