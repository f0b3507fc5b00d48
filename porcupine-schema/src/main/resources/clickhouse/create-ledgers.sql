create table if not exists ${table} (
    ledger_id UUID,
    epoch UUID,
    accepted_seq SimpleAggregateFunction(max, UInt64),
    first_at SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
    last_at SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
)
engine = AggregatingMergeTree
order by (ledger_id, epoch)
settings
    index_granularity = 8192,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    non_replicated_deduplication_window = 0,
    max_suspicious_broken_parts = 0,
    max_suspicious_broken_parts_bytes = 0
