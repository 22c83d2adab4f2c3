// Sends one metric, log record and span by each of OTLP's three protocols, with OpenTelemetry's own
// exporters, and prints one JSON line for each: {"signal", "protocol", "ok", "error"}.
//
//   node send.mjs --http http://127.0.0.1:4318 --grpc http://127.0.0.1:4317 [--node NAME]
//                 [--compression none|gzip] [--authorization TEXT]
//
// The metric, the body of the record and the span are called otlp_client_<protocol>, of the host
// NAME. Exit status: 0 everything was taken, 1 something was not, 2 usage.
import { parseArgs } from "node:util";
import { SeverityNumber } from "@opentelemetry/api-logs";
import { OTLPLogExporter as LogGrpc } from "@opentelemetry/exporter-logs-otlp-grpc";
import { OTLPLogExporter as LogJson } from "@opentelemetry/exporter-logs-otlp-http";
import { OTLPLogExporter as LogProto } from "@opentelemetry/exporter-logs-otlp-proto";
import { OTLPMetricExporter as MetricGrpc } from "@opentelemetry/exporter-metrics-otlp-grpc";
import { OTLPMetricExporter as MetricJson } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter as MetricProto } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter as TraceGrpc } from "@opentelemetry/exporter-trace-otlp-grpc";
import { OTLPTraceExporter as TraceJson } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as TraceProto } from "@opentelemetry/exporter-trace-otlp-proto";
import { Resource } from "@opentelemetry/resources";
import {
  InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor,
} from "@opentelemetry/sdk-logs";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";

const { values: options } = parseArgs({
  options: {
    http: { type: "string" },
    grpc: { type: "string" },
    node: { type: "string", default: "otlp-client" },
    compression: { type: "string", default: "none" },
    authorization: { type: "string" },
  },
});
if (!options.http && !options.grpc) {
  console.error("send.mjs: give --http URL, --grpc URL or both");
  process.exit(2);
}

const PROTOCOLS = {
  grpc: { url: options.grpc, exporters: { metrics: MetricGrpc, logs: LogGrpc, traces: TraceGrpc } },
  http_json: {
    url: options.http,
    exporters: { metrics: MetricJson, logs: LogJson, traces: TraceJson },
  },
  http_protobuf: {
    url: options.http,
    exporters: { metrics: MetricProto, logs: LogProto, traces: TraceProto },
  },
};

// The SDK's processors do not say how an export went, so its items are made first and exported here.
const ITEMS = {
  async metrics(name, resource) {
    const exporter = new MetricJson();
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1 << 30 });
    const provider = new MeterProvider({ resource, readers: [reader] });
    provider.getMeter("otlp_clients").createGauge(name).record(42);
    return (await reader.collect()).resourceMetrics;
  },
  async logs(name, resource) {
    const memory = new InMemoryLogRecordExporter();
    const provider = new LoggerProvider({ resource });
    provider.addLogRecordProcessor(new SimpleLogRecordProcessor(memory));
    const record = { body: name, severityNumber: SeverityNumber.WARN, severityText: "WARN" };
    provider.getLogger("otlp_clients").emit(record);
    await provider.forceFlush();
    return memory.getFinishedLogRecords();
  },
  async traces(name, resource) {
    const memory = new InMemorySpanExporter();
    const spanProcessors = [new SimpleSpanProcessor(memory)];
    const provider = new BasicTracerProvider({ resource, spanProcessors });
    provider.getTracer("otlp_clients").startSpan(name).end();
    await provider.forceFlush();
    return memory.getFinishedSpans();
  },
};

async function exporterOf(protocol, signal) {
  const { url, exporters } = PROTOCOLS[protocol];
  const common = { compression: options.compression, timeoutMillis: 10_000 };
  if (protocol !== "grpc") {
    const headers = options.authorization ? { authorization: options.authorization } : {};
    return new exporters[signal]({ ...common, headers, url: `${url}/v1/${signal}` });
  }
  const { Metadata } = await import("@grpc/grpc-js");
  const metadata = new Metadata();
  if (options.authorization) metadata.set("authorization", options.authorization);
  return new exporters[signal]({ ...common, metadata, url });
}

async function send(protocol, signal) {
  const resource = new Resource({ "service.name": "otlp_clients", "host.name": options.node });
  const items = await ITEMS[signal](`otlp_client_${protocol}`, resource);
  const exporter = await exporterOf(protocol, signal);
  const { code, error } = await new Promise((done) => exporter.export(items, done));
  await exporter.shutdown();
  return { signal, protocol, ok: code === 0, error: error ? String(error.message) : "" };
}

let failed = false;
for (const [protocol, { url }] of Object.entries(PROTOCOLS)) {
  if (!url) continue;
  for (const signal of Object.keys(ITEMS)) {
    const result = await send(protocol, signal);
    failed ||= !result.ok;
    console.log(JSON.stringify(result));
  }
}
process.exit(failed ? 1 : 0);
