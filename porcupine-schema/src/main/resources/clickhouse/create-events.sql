create table if not exists ${table} (
    project_id UInt64,
    uuid UUID,
    revision UInt64,
    is_deleted UInt8,
    event String,
    distinct_id String,
    timestamp_micros Int64,
    timestamp DateTime64(6, 'UTC')
        alias fromUnixTimestamp64Micro(greatest(-2208988800000000, least(timestamp_micros, 10413791999999999)), 'UTC'),
    received_at DateTime64(3, 'UTC'),
    properties String codec(ZSTD(1)),
    index uuid_range toUInt128(uuid) type minmax granularity 1,
    index uuid_bloom uuid type bloom_filter(0.00001) granularity 1
)
engine = ReplacingMergeTree(revision)
partition by toYYYYMM(received_at)
order by (project_id, uuid)
${ttl}
settings
    index_granularity = 1536,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    non_replicated_deduplication_window = 0,
    max_suspicious_broken_parts = 0,
    max_suspicious_broken_parts_bytes = 0,
    allow_experimental_replacing_merge_with_cleanup = 0,
    enable_replacing_merge_with_cleanup_for_min_age_to_force_merge = 0${policy}
