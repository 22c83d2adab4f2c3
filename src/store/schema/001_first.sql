-- The tables of database auscult.
--
-- Every statement may run again: a migration that was interrupted starts over. `stored_at` is the
-- stamp of the group commit that brought a row, unique to that group; the time to live counts from
-- it, so that old data which was imported today stays as long as today's. A part is dropped when
-- all its rows are past their time. non_replicated_deduplication_window is the number of latest
-- blocks (one for each day in an insert) whose repetition is recognised by its token.

CREATE TABLE IF NOT EXISTS auscult.series
(
    id UInt64,
    metric LowCardinality(String),
    labels Map(LowCardinality(String), String),
    cluster LowCardinality(String),
    node_id LowCardinality(String),
    job_id LowCardinality(String),
    model_name LowCardinality(String),
    rank LowCardinality(String),
    gpu LowCardinality(String),
    kind Enum8('gauge' = 0, 'counter' = 1),
    announced_at DateTime64(3, 'UTC') COMMENT 'again once a day while samples come'
)
ENGINE = ReplacingMergeTree(announced_at)
ORDER BY (metric, id)
TTL toDateTime(announced_at) + INTERVAL 60 DAY
SETTINGS non_replicated_deduplication_window = 10000;

CREATE TABLE IF NOT EXISTS auscult.samples
(
    id UInt64 COMMENT 'of the series' CODEC(ZSTD(1)),
    timestamp DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
    value Float64 CODEC(Gorilla, ZSTD(1)),
    stored_at DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
    INDEX stored_at_range stored_at TYPE minmax
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(timestamp)
ORDER BY (id, timestamp)
TTL toDateTime(stored_at) + INTERVAL 30 DAY
SETTINGS ttl_only_drop_parts = 1, non_replicated_deduplication_window = 10000;

CREATE TABLE IF NOT EXISTS auscult.logs
(
    timestamp DateTime64(9, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
    observed DateTime64(9, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
    severity UInt8 COMMENT 'OpenTelemetry severity number, 0 unknown',
    source LowCardinality(String),
    body String CODEC(ZSTD(1)),
    trace_id String CODEC(ZSTD(1)),
    span_id String CODEC(ZSTD(1)),
    attributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    cluster LowCardinality(String),
    node_id LowCardinality(String),
    job_id LowCardinality(String),
    model_name LowCardinality(String),
    rank LowCardinality(String),
    gpu LowCardinality(String),
    stored_at DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
    INDEX body_words body TYPE text(tokenizer = 'splitByNonAlpha'),
    INDEX stored_at_range stored_at TYPE minmax
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(timestamp)
ORDER BY (node_id, source, timestamp)
TTL toDateTime(stored_at) + INTERVAL 30 DAY
SETTINGS ttl_only_drop_parts = 1, non_replicated_deduplication_window = 10000;

CREATE TABLE IF NOT EXISTS auscult.traces
(
    timestamp DateTime64(9, 'UTC') COMMENT 'start of the span' CODEC(DoubleDelta, ZSTD(1)),
    service LowCardinality(String),
    name LowCardinality(String),
    kind UInt8 COMMENT 'OpenTelemetry SpanKind',
    duration_ns Int64 CODEC(T64, ZSTD(1)),
    latency_ms Float64 ALIAS duration_ns / 1e6,
    status_code UInt8 COMMENT '0 unset, 1 ok, 2 error',
    status_message String CODEC(ZSTD(1)),
    trace_id String CODEC(ZSTD(1)),
    span_id String CODEC(ZSTD(1)),
    parent_span_id String CODEC(ZSTD(1)),
    attributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    cluster LowCardinality(String),
    node_id LowCardinality(String),
    job_id LowCardinality(String),
    model_name LowCardinality(String),
    rank LowCardinality(String),
    gpu LowCardinality(String),
    stored_at DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
    INDEX trace_id_filter trace_id TYPE bloom_filter(0.01),
    INDEX stored_at_range stored_at TYPE minmax
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(timestamp)
ORDER BY (service, timestamp)
TTL toDateTime(stored_at) + INTERVAL 14 DAY
SETTINGS ttl_only_drop_parts = 1, non_replicated_deduplication_window = 10000;

-- Kept for good: years of results are megabytes, and a baseline is worth more the older it is.
CREATE TABLE IF NOT EXISTS auscult.benchmark_results
(
    run_id String,
    timestamp DateTime64(9, 'UTC'),
    benchmark LowCardinality(String),
    metric LowCardinality(String),
    value Float64,
    unit LowCardinality(String),
    device LowCardinality(String),
    cluster LowCardinality(String),
    node_id LowCardinality(String),
    job_id LowCardinality(String),
    model_name LowCardinality(String),
    rank LowCardinality(String),
    gpu LowCardinality(String),
    params Map(LowCardinality(String), String),
    git_commit LowCardinality(String),
    cluster_version Map(LowCardinality(String), String),
    preflight_passed UInt8,
    preflight_warnings Array(String),
    samples Array(Float64),
    stored_at DateTime64(3, 'UTC'),
    INDEX stored_at_range stored_at TYPE minmax
)
ENGINE = MergeTree
ORDER BY (benchmark, metric, node_id, timestamp)
SETTINGS non_replicated_deduplication_window = 10000;

-- Kept for good: who did what to the cluster, and why.
CREATE TABLE IF NOT EXISTS auscult.incident_events
(
    incident_id String,
    timestamp DateTime64(9, 'UTC'),
    kind LowCardinality(String),
    actor String,
    detail String COMMENT 'JSON',
    sequence UInt64 COMMENT 'position within the group commit: orders equal times',
    stored_at DateTime64(3, 'UTC'),
    INDEX stored_at_range stored_at TYPE minmax
)
ENGINE = MergeTree
ORDER BY (incident_id, timestamp, stored_at, sequence)
SETTINGS non_replicated_deduplication_window = 10000;

-- What was acknowledged, so that a batch which is sent again is stored once.
CREATE TABLE IF NOT EXISTS auscult.ingest_batches
(
    id String COMMENT 'empty: the group itself',
    committed_at DateTime64(3, 'UTC')
)
ENGINE = MergeTree
ORDER BY committed_at
TTL toDateTime(committed_at) + INTERVAL 1 DAY
SETTINGS non_replicated_deduplication_window = 10000;
