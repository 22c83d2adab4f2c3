// Encoding: requests of the agent, and the bodies of our answers.
#include <algorithm>
#include <numeric>
#include <protozero/pbf_writer.hpp>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "wire/otlp.h"
#include "wire/otlp_values.h"

namespace auscult::wire {
namespace {

using protozero::pbf_writer;

constexpr int cumulative = 2;  // AggregationTemporality

void add_text(pbf_writer& out, uint32_t field, std::string_view text) {
  out.add_string(field, text.data(), text.size());
}

void add_attribute(pbf_writer& out, uint32_t field, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  pbf_writer pair(out, field);
  add_text(pair, 1, key);
  pbf_writer any_value(pair, 2);
  // protobuf's strings are UTF-8: other receivers refuse a request with anything else.
  add_text(any_value, 1, valid_utf8(value));
}

void add_attributes(pbf_writer& out, uint32_t field, const model::Tags& tags,
                    const model::Labels& labels) {
  for (const auto& [name, member] : model::tag_fields) {
    add_attribute(out, field, name, tags.*member);
  }
  for (const auto& [name, value] : labels) add_attribute(out, field, name, value);
}

uint64_t unix_nano(int64_t time_ns) { return time_ns > 0 ? static_cast<uint64_t>(time_ns) : 0; }

void add_scope(pbf_writer& out) {
  pbf_writer scope(out, 1);
  add_text(scope, 1, own_scope);
}

void add_points(pbf_writer& data, std::span<const model::Sample> samples,
                std::span<const size_t> indices) {
  for (const size_t index : indices) {
    const auto& sample = samples[index];
    pbf_writer point(data, 1);
    point.add_fixed64(3, unix_nano(sample.timestamp_ns));
    point.add_double(4, sample.value);
    add_attributes(point, 7, sample.tags, sample.labels);
  }
}

std::string id_bytes(std::string_view hex) {
  std::string bytes;
  const auto digit = [](char c) { return c >= 'a' ? c - 'a' + 10 : c - '0'; };
  if (hex.size() % 2 != 0 || hex.find_first_not_of("0123456789abcdef") != std::string_view::npos) {
    return {};
  }
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  }
  return bytes;
}

void add_record(pbf_writer& scope_logs, const model::LogRecord& record) {
  pbf_writer out(scope_logs, 2);
  out.add_fixed64(1, unix_nano(record.timestamp_ns));
  if (record.severity != 0) out.add_enum(2, record.severity);
  {
    pbf_writer body(out, 5);
    add_text(body, 1, valid_utf8(record.body));
  }
  add_attribute(out, 6, "log.source", record.source);
  add_attributes(out, 6, record.tags, record.attributes);
  if (const auto id = id_bytes(record.trace_id); !id.empty()) out.add_bytes(9, id);
  if (const auto id = id_bytes(record.span_id); !id.empty()) out.add_bytes(10, id);
  out.add_fixed64(11, unix_nano(record.observed_ns));
}

std::string_view rejected_key(Signal signal) {
  switch (signal) {
    case Signal::metrics:
      return "rejectedDataPoints";
    case Signal::logs:
      return "rejectedLogRecords";
    case Signal::traces:
      return "rejectedSpans";
  }
  return "";
}

// google.rpc.Code of an HTTP status, as gRPC and the OTLP specification pair them.
int grpc_code(int http_status) {
  switch (http_status) {
    case 401:
      return 16;  // UNAUTHENTICATED
    case 403:
      return 7;  // PERMISSION_DENIED
    case 404:
    case 405:
    case 501:
      return 12;  // UNIMPLEMENTED
    case 413:
    case 429:
      return 8;  // RESOURCE_EXHAUSTED
    case 408:
    case 504:
      return 4;  // DEADLINE_EXCEEDED
    case 502:
    case 503:
      return 14;  // UNAVAILABLE
    default:
      return http_status >= 400 && http_status < 500 ? 3 : 13;  // INVALID_ARGUMENT, INTERNAL
  }
}

}  // namespace

std::string encode_metrics(std::span<const model::Sample> samples) {
  std::vector<size_t> order(samples.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto same = [&](size_t a, size_t b) {
    return samples[a].kind == samples[b].kind && samples[a].metric == samples[b].metric;
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (samples[a].metric != samples[b].metric) return samples[a].metric < samples[b].metric;
    return samples[a].kind < samples[b].kind;
  });
  std::string bytes;
  pbf_writer request(bytes);
  pbf_writer resource_metrics(request, 1);
  pbf_writer scope_metrics(resource_metrics, 2);
  add_scope(scope_metrics);
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin + 1;
    while (end < order.size() && same(order[begin], order[end])) ++end;
    const auto& first = samples[order[begin]];
    const auto indices = std::span(order).subspan(begin, end - begin);
    begin = end;
    pbf_writer metric(scope_metrics, 2);
    add_text(metric, 1, first.metric);
    const bool counter = first.kind == model::MetricKind::counter;
    pbf_writer data(metric, counter ? 7 : 5);
    add_points(data, samples, indices);
    if (counter) {
      data.add_enum(2, cumulative);
      data.add_bool(3, true);
    }
  }
  scope_metrics.commit();
  resource_metrics.commit();
  return bytes;
}

std::string encode_logs(std::span<const model::LogRecord> records) {
  std::string bytes;
  pbf_writer request(bytes);
  pbf_writer resource_logs(request, 1);
  pbf_writer scope_logs(resource_logs, 2);
  add_scope(scope_logs);
  for (const auto& record : records) add_record(scope_logs, record);
  scope_logs.commit();
  resource_logs.commit();
  return bytes;
}

std::string encode_success(Signal signal, Encoding encoding, uint64_t rejected,
                           std::string_view message) {
  const bool partial = rejected > 0 || !message.empty();
  if (encoding == Encoding::json) {
    if (!partial) return "{}";
    Json inner;
    inner.set(rejected_key(signal), std::to_string(rejected)).set("errorMessage", message);
    return Json().set("partialSuccess", inner).dump();
  }
  std::string bytes;
  if (!partial) return bytes;
  pbf_writer response(bytes);
  pbf_writer partial_success(response, 1);
  if (rejected > 0) partial_success.add_int64(1, static_cast<int64_t>(rejected));
  add_text(partial_success, 2, valid_utf8(message));
  partial_success.commit();
  return bytes;
}

std::string encode_error(Encoding encoding, int http_status, std::string_view message) {
  if (encoding == Encoding::json) {
    return Json().set("code", grpc_code(http_status)).set("message", message).dump();
  }
  std::string bytes;
  pbf_writer status(bytes);
  status.add_int32(1, grpc_code(http_status));
  add_text(status, 2, valid_utf8(message));
  return bytes;
}

}  // namespace auscult::wire
