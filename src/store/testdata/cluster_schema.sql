CREATE TABLE IF NOT EXISTS auscult.series_local ON CLUSTER 'main'
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
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/auscult/series', '{replica}', announced_at)
ORDER BY (metric, id)
TTL toDateTime(announced_at) + INTERVAL 60 DAY
SETTINGS replicated_deduplication_window = 10000;

CREATE TABLE IF NOT EXISTS auscult.series ON CLUSTER 'main' AS auscult.series_local
ENGINE = Distributed('main', 'auscult', 'series_local', cityHash64(metric, id));

CREATE TABLE IF NOT EXISTS auscult.samples_local ON CLUSTER 'main'
(
    id UInt64 COMMENT 'of the series' CODEC(ZSTD(1)),
    timestamp DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
    value Float64 CODEC(Gorilla, ZSTD(1)),
    stored_at DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
    INDEX stored_at_range stored_at TYPE minmax
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/auscult/samples', '{replica}')
PARTITION BY toYYYYMMDD(timestamp)
ORDER BY (id, timestamp)
TTL toDateTime(stored_at) + INTERVAL 30 DAY
SETTINGS ttl_only_drop_parts = 1, replicated_deduplication_window = 10000;

CREATE TABLE IF NOT EXISTS auscult.samples ON CLUSTER 'main' AS auscult.samples_local
ENGINE = Distributed('main', 'auscult', 'samples_local', cityHash64(id, timestamp));

CREATE TABLE IF NOT EXISTS auscult.logs_local ON CLUSTER 'main'
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
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/auscult/logs', '{replica}')
PARTITION BY toYYYYMMDD(timestamp)
ORDER BY (node_id, source, timestamp)
TTL toDateTime(stored_at) + INTERVAL 30 DAY
SETTINGS ttl_only_drop_parts = 1, replicated_deduplication_window = 10000;

CREATE TABLE IF NOT EXISTS auscult.logs ON CLUSTER 'main' AS auscult.logs_local
ENGINE = Distributed('main', 'auscult', 'logs_local', cityHash64(node_id, source, timestamp));

CREATE TABLE IF NOT EXISTS auscult.traces_local ON CLUSTER 'main'
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
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/auscult/traces', '{replica}')
PARTITION BY toYYYYMMDD(timestamp)
ORDER BY (service, timestamp)
TTL toDateTime(stored_at) + INTERVAL 14 DAY
SETTINGS ttl_only_drop_parts = 1, replicated_deduplication_window = 10000;

CREATE TABLE IF NOT EXISTS auscult.traces ON CLUSTER 'main' AS auscult.traces_local
ENGINE = Distributed('main', 'auscult', 'traces_local', cityHash64(service, timestamp));

CREATE TABLE IF NOT EXISTS auscult.benchmark_results_local ON CLUSTER 'main'
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
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/auscult/benchmark_results', '{replica}')
ORDER BY (benchmark, metric, node_id, timestamp)
SETTINGS replicated_deduplication_window = 10000;

CREATE TABLE IF NOT EXISTS auscult.benchmark_results ON CLUSTER 'main' AS auscult.benchmark_results_local
ENGINE = Distributed('main', 'auscult', 'benchmark_results_local', cityHash64(benchmark, metric, node_id, timestamp));

CREATE TABLE IF NOT EXISTS auscult.incident_events_local ON CLUSTER 'main'
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
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/auscult/incident_events', '{replica}')
ORDER BY (incident_id, timestamp, stored_at, sequence)
SETTINGS replicated_deduplication_window = 10000;

CREATE TABLE IF NOT EXISTS auscult.incident_events ON CLUSTER 'main' AS auscult.incident_events_local
ENGINE = Distributed('main', 'auscult', 'incident_events_local', cityHash64(incident_id, timestamp, stored_at, sequence));

CREATE TABLE IF NOT EXISTS auscult.ingest_batches_local ON CLUSTER 'main'
(
    id String COMMENT 'empty: the group itself',
    committed_at DateTime64(3, 'UTC')
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/auscult/ingest_batches', '{replica}')
ORDER BY committed_at
TTL toDateTime(committed_at) + INTERVAL 1 DAY
SETTINGS replicated_deduplication_window = 10000;

CREATE TABLE IF NOT EXISTS auscult.ingest_batches ON CLUSTER 'main' AS auscult.ingest_batches_local
ENGINE = Distributed('main', 'auscult', 'ingest_batches_local', cityHash64(committed_at));

CREATE OR REPLACE VIEW auscult.otel_logs ON CLUSTER 'main' AS
SELECT
    timestamp AS Timestamp,
    toDateTime(timestamp) AS TimestampTime,
    trace_id AS TraceId,
    span_id AS SpanId,
    toUInt8(0) AS TraceFlags,
    ['', 'TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'][least(intDiv(severity + 3, 4), 6) + 1] AS SeverityText,
    severity AS SeverityNumber,
    source AS ServiceName,
    body AS Body,
    '' AS ResourceSchemaUrl,
    mapFilter((k, v) -> v != '', map('service.name', toString(source), 'host.name', toString(node_id),
        'cluster', toString(cluster), 'job_id', toString(job_id), 'model_name', toString(model_name),
        'rank', toString(rank), 'gpu', toString(gpu))) AS ResourceAttributes,
    '' AS ScopeSchemaUrl,
    '' AS ScopeName,
    '' AS ScopeVersion,
    CAST(map(), 'Map(String, String)') AS ScopeAttributes,
    attributes AS LogAttributes,
    '' AS EventName
FROM auscult.logs;

CREATE OR REPLACE VIEW auscult.otel_traces ON CLUSTER 'main' AS
SELECT
    timestamp AS Timestamp,
    trace_id AS TraceId,
    span_id AS SpanId,
    parent_span_id AS ParentSpanId,
    '' AS TraceState,
    name AS SpanName,
    ['Unspecified', 'Internal', 'Server', 'Client', 'Producer', 'Consumer'][least(kind, 5) + 1] AS SpanKind,
    service AS ServiceName,
    mapFilter((k, v) -> v != '', map('service.name', toString(service), 'host.name', toString(node_id),
        'cluster', toString(cluster), 'job_id', toString(job_id), 'model_name', toString(model_name),
        'rank', toString(rank), 'gpu', toString(gpu))) AS ResourceAttributes,
    '' AS ScopeName,
    '' AS ScopeVersion,
    attributes AS SpanAttributes,
    toUInt64(greatest(duration_ns, 0)) AS Duration,
    ['Unset', 'Ok', 'Error'][least(status_code, 2) + 1] AS StatusCode,
    status_message AS StatusMessage,
    CAST([], 'Array(DateTime64(9, \'UTC\'))') AS `Events.Timestamp`,
    CAST([], 'Array(String)') AS `Events.Name`,
    CAST([], 'Array(Map(String, String))') AS `Events.Attributes`,
    CAST([], 'Array(String)') AS `Links.TraceId`,
    CAST([], 'Array(String)') AS `Links.SpanId`,
    CAST([], 'Array(String)') AS `Links.TraceState`,
    CAST([], 'Array(Map(String, String))') AS `Links.Attributes`
FROM auscult.traces;

ALTER TABLE auscult.samples_local ON CLUSTER 'main'
    MODIFY COLUMN timestamp DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
    MODIFY COLUMN value Float64 CODEC(ZSTD(1)),
    MODIFY COLUMN stored_at DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1));

ALTER TABLE auscult.samples_local ON CLUSTER 'main'
    MODIFY SETTING min_compress_block_size = 262144, max_compress_block_size = 262144;

CREATE TABLE IF NOT EXISTS auscult.sync_positions_local ON CLUSTER 'main'
(
    source LowCardinality(String),
    position String COMMENT 'JSON',
    stored_at DateTime64(3, 'UTC')
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/auscult/sync_positions', '{replica}')
ORDER BY (source, stored_at)
TTL toDateTime(stored_at) + INTERVAL 90 DAY
SETTINGS replicated_deduplication_window = 10000;

CREATE TABLE IF NOT EXISTS auscult.sync_positions ON CLUSTER 'main' AS auscult.sync_positions_local
ENGINE = Distributed('main', 'auscult', 'sync_positions_local', cityHash64(source, stored_at));

