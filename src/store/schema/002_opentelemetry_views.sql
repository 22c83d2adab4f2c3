-- Logs and traces under the column names of the OpenTelemetry Collector's ClickHouse exporter, so
-- that dashboards made for it work on this store.

CREATE OR REPLACE VIEW auscult.otel_logs AS
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

CREATE OR REPLACE VIEW auscult.otel_traces AS
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
