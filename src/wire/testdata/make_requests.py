#!/usr/bin/env python3
"""Writes metrics.hex, logs.hex and traces.hex beside itself: OTLP requests encoded by protobuf's own
Python library, as an encoder that is not ours. Needs python3-protobuf and the modules that protoc
makes of open-telemetry/opentelemetry-proto: make_requests.py <folder of the modules>."""
import pathlib, sys

sys.path.insert(0, sys.argv[1])
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2 as logs
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2 as metrics
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as traces

TIME_NS = 1_700_000_000_123_456_789


def attributes(into, **values):
    for key, value in values.items():
        pair = into.add(key=key.replace("__", "."))
        if isinstance(value, bool):
            pair.value.bool_value = value
        elif isinstance(value, int):
            pair.value.int_value = value
        elif isinstance(value, float):
            pair.value.double_value = value
        elif isinstance(value, bytes):
            pair.value.bytes_value = value
        elif isinstance(value, list):
            pair.value.array_value.SetInParent()
            for text in value:
                pair.value.array_value.values.add(string_value=text)
        else:
            pair.value.string_value = value


def metrics_request():
    request = metrics.ExportMetricsServiceRequest()
    group = request.resource_metrics.add()
    attributes(group.resource.attributes, host__name="n1", service__name="trainer",
               service__instance__id="n1:9100")
    scope = group.scope_metrics.add()
    scope.scope.name = "lib"
    gauge = scope.metrics.add(name="queue.depth", unit="{item}").gauge.data_points
    point = gauge.add(time_unix_nano=TIME_NS, as_int=2**53)
    attributes(point.attributes, queue__name="a", rank=3, ok=True, ratio=0.5, raw=b"\x00\xff",
               list=["x", "y"])
    counter = scope.metrics.add(name="http.requests", unit="1").sum
    counter.aggregation_temporality, counter.is_monotonic = 2, True
    counter.data_points.add(time_unix_nano=TIME_NS, as_double=1.5)
    histogram = scope.metrics.add(name="wait", unit="s").histogram
    histogram.aggregation_temporality = 2
    histogram.data_points.add(time_unix_nano=TIME_NS, count=6, sum=9.5, bucket_counts=[1, 2, 3],
                              explicit_bounds=[0.5, 2])
    exponential = scope.metrics.add(name="size", unit="By").exponential_histogram
    exponential.aggregation_temporality = 2
    point = exponential.data_points.add(time_unix_nano=TIME_NS, count=10, sum=20, scale=0,
                                        zero_count=1)
    point.positive.offset = -1
    point.positive.bucket_counts.extend([4, 0, 5])
    summary = scope.metrics.add(name="latency", unit="ms").summary
    point = summary.data_points.add(time_unix_nano=TIME_NS, count=4, sum=8)
    point.quantile_values.add(quantile=0.99, value=3)
    return request


def logs_request():
    request = logs.ExportLogsServiceRequest()
    group = request.resource_logs.add()
    attributes(group.resource.attributes, host__name="n1", service__name="kubelet")
    scope = group.scope_logs.add()
    scope.scope.name = "lib"
    record = scope.log_records.add(time_unix_nano=TIME_NS, observed_time_unix_nano=TIME_NS + 1,
                                   severity_number=17, severity_text="ERR",
                                   trace_id=bytes(range(16)), span_id=bytes(range(1, 9)))
    record.body.string_value = "out of memory: Ω"
    attributes(record.attributes, thread=-7)
    record = scope.log_records.add(time_unix_nano=TIME_NS)
    pair = record.body.kvlist_value.values.add(key="a")
    pair.value.array_value.values.add(int_value=1)
    pair.value.array_value.values.add(string_value='"q"')
    return request


def traces_request():
    request = traces.ExportTraceServiceRequest()
    group = request.resource_spans.add()
    attributes(group.resource.attributes, host__name="n1", service__name="nccl")
    span = group.scope_spans.add().spans.add(
        trace_id=bytes(range(16)), span_id=bytes(range(1, 9)), parent_span_id=bytes(range(2, 10)),
        name="allreduce", kind=3, start_time_unix_nano=TIME_NS,
        end_time_unix_nano=TIME_NS + 2_500_000, trace_state="a=b")
    span.status.code, span.status.message = 2, "timeout"
    attributes(span.attributes, rank=1, bytes=1048576)
    span.events.add(name="ignored", time_unix_nano=TIME_NS)
    return request


for name, request in [("metrics", metrics_request()), ("logs", logs_request()),
                      ("traces", traces_request())]:
    path = pathlib.Path(__file__).parent / f"{name}.hex"
    path.write_text(request.SerializeToString().hex() + "\n")
