// Logs: ExportLogsServiceRequest -> LogRecords.
#include "wire/otlp.h"
#include "wire/otlp_fields.h"
#include "wire/otlp_json.h"
#include "wire/otlp_values.h"

namespace auscult::wire {
namespace {

using model::Labels;
using model::LogRecord;
using model::LogRecords;

constexpr uint64_t max_severity = 24;
constexpr size_t trace_id_bytes = 16;
constexpr size_t span_id_bytes = 8;

void remove_label(Labels& labels, std::string_view name) {
  std::erase_if(labels, [&](const auto& entry) { return entry.first == name; });
}

std::string source_of(const Labels& attributes) {
  for (const std::string_view name : {"log.source", "log.file.name", "service.name"}) {
    const auto value = model::label(attributes, name);
    if (!value.empty()) return std::string(value);
  }
  return {};
}

class LogsDecoder {
 public:
  explicit LogsDecoder(const DecodeOptions& options) : out_(options), options_(options) {}

  Decoded<LogRecords> decode(std::string_view request) {
    Fields fields(request);
    while (fields.next()) {
      const auto number = fields.number();
      if (number == 1) resource_logs(fields.bytes());
    }
    return out_.take();
  }

 private:
  void resource_logs(std::string_view message) {
    std::string_view resource;
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 1) resource = fields.bytes();
    }
    origin_ = origin_from(resource, options_);
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 2) scope_logs(fields.bytes());
    }
  }

  void scope_logs(std::string_view message) {
    std::string_view scope;
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 1) scope = fields.bytes();
    }
    shared_ = origin_.attributes;
    append_scope(shared_, scope, options_);
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 2) record(fields.bytes());
    }
  }

  void record(std::string_view message) {
    LogRecord record;
    uint64_t time = 0;
    uint64_t observed = 0;
    std::string_view severity_text;
    std::string_view event_name;
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 1) time = fields.fixed64();
      if (number == 2) {
        const uint64_t severity = fields.varint();
        record.severity = severity <= max_severity ? static_cast<int32_t>(severity) : 0;
      }
      if (number == 3) severity_text = fields.bytes();
      if (number == 5) record.body = any_value_text(fields.bytes(), options_.max_log_body_bytes);
      if (number == 6) {
        append_attribute(record.attributes, fields.bytes(), options_.max_label_bytes);
      }
      if (number == 9) record.trace_id = id_from(fields.bytes(), trace_id_bytes);
      if (number == 10) record.span_id = id_from(fields.bytes(), span_id_bytes);
      if (number == 11) observed = fields.fixed64();
      if (number == 12) event_name = fields.bytes();
    }
    const auto observed_ns = time_from(observed, options_.now_ns);
    const auto time_ns = time_from(time, observed_ns.value_or(0));
    if (!observed_ns || !time_ns) return out_.reject({}, bad_time);
    if (record.attributes.size() > options_.max_labels ||
        origin_.n_attributes > options_.max_labels) {
      return out_.reject({}, "more attributes than a log record may have");
    }
    record.timestamp_ns = *time_ns;
    record.observed_ns = *observed_ns;
    add_text(record.attributes, "severity_text", severity_text);
    add_text(record.attributes, "event.name", event_name);
    if (!finish(record)) return out_.reject({}, too_much);
    out_.items().push_back(std::move(record));
  }

  void add_text(Labels& labels, std::string_view name, std::string_view text) {
    if (text.empty()) return;
    labels.emplace_back(std::string(name), text_from(text, options_.max_label_bytes));
  }

  // False when the request has unfolded too far.
  bool finish(LogRecord& record) {
    model::normalise(record.attributes);
    record.tags = model::merged(model::take_tags(record.attributes), origin_.tags);
    if (!out_.afford(sizeof(LogRecord) + record.body.size() + bytes_of(record.tags) +
                     bytes_of(record.attributes) + bytes_of(shared_))) {
      return false;
    }
    Labels all = shared_;
    for (auto& entry : record.attributes) all.push_back(std::move(entry));
    model::normalise(all);
    record.attributes = std::move(all);
    record.source = source_of(record.attributes);
    remove_label(record.attributes, "log.source");
    return true;
  }

  Decoding<LogRecords> out_;
  const DecodeOptions& options_;
  Origin origin_;
  Labels shared_;  // of resource and scope
};

}  // namespace

Result<Decoded<LogRecords>> decode_logs(std::string_view body, Encoding encoding,
                                        const DecodeOptions& options) {
  std::string converted;
  if (encoding == Encoding::json) {
    converted = TRY(protobuf_from_json(body, Signal::logs, options.max_json_depth));
    body = converted;
  }
  return decode_guarded("logs", [&] { return LogsDecoder(options).decode(body); });
}

}  // namespace auscult::wire
