// Traces: ExportTraceServiceRequest -> Spans.
#include "wire/otlp.h"
#include "wire/otlp_fields.h"
#include "wire/otlp_json.h"
#include "wire/otlp_values.h"

namespace auscult::wire {
namespace {

using model::Labels;
using model::Span;
using model::Spans;

constexpr size_t trace_id_bytes = 16;
constexpr size_t span_id_bytes = 8;
constexpr uint64_t max_kind = 5;         // SPAN_KIND_CONSUMER
constexpr uint64_t max_status_code = 2;  // STATUS_CODE_ERROR

int32_t known(uint64_t value, uint64_t max) {
  return value <= max ? static_cast<int32_t>(value) : 0;
}

class TracesDecoder {
 public:
  explicit TracesDecoder(const DecodeOptions& options) : out_(options), options_(options) {}

  Decoded<Spans> decode(std::string_view request) {
    Fields fields(request);
    while (fields.next()) {
      const auto number = fields.number();
      if (number == 1) resource_spans(fields.bytes());
    }
    return out_.take();
  }

 private:
  void resource_spans(std::string_view message) {
    std::string_view resource;
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 1) resource = fields.bytes();
    }
    origin_ = origin_from(resource, options_);
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 2) scope_spans(fields.bytes());
    }
  }

  void scope_spans(std::string_view message) {
    std::string_view scope;
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 1) scope = fields.bytes();
    }
    shared_ = origin_.attributes;
    append_scope(shared_, scope, options_);
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 2) span(fields.bytes());
    }
  }

  void span(std::string_view message) {
    Span span;
    uint64_t start = 0;
    uint64_t end = 0;
    std::string_view parent;
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 1) span.trace_id = id_from(fields.bytes(), trace_id_bytes);
      if (number == 2) span.span_id = id_from(fields.bytes(), span_id_bytes);
      if (number == 3) add_text(span.attributes, "w3c.tracestate", fields.bytes());
      if (number == 4) parent = fields.bytes();
      if (number == 5) span.name = text_from(fields.bytes(), options_.max_label_bytes);
      if (number == 6) span.kind = known(fields.varint(), max_kind);
      if (number == 7) start = fields.fixed64();
      if (number == 8) end = fields.fixed64();
      if (number == 9) {
        append_attribute(span.attributes, fields.bytes(), options_.max_label_bytes);
      }
      if (number == 15) status(span, fields.bytes());
    }
    span.parent_span_id = id_from(parent, span_id_bytes);
    const auto start_ns = time_from(start, options_.now_ns);
    const auto end_ns = time_from(end, start_ns.value_or(0));
    const std::string_view why = flaw(span, start_ns, end_ns);
    if (!why.empty()) return out_.reject(span.name, why);
    span.start_ns = *start_ns;
    span.duration_ns = *end_ns - *start_ns;
    if (!finish(span)) return out_.reject(span.name, too_much);
    out_.items().push_back(std::move(span));
  }

  std::string_view flaw(const Span& span, std::optional<int64_t> start_ns,
                        std::optional<int64_t> end_ns) const {
    if (span.trace_id.empty()) return "a trace id is 16 bytes, not all zero";
    if (span.span_id.empty()) return "a span id is 8 bytes, not all zero";
    if (!start_ns || !end_ns) return bad_time;
    if (*end_ns < *start_ns) return "the span ends before it starts";
    if (span.attributes.size() > options_.max_labels ||
        origin_.n_attributes > options_.max_labels) {
      return "more attributes than a span may have";
    }
    return {};
  }

  void status(Span& span, std::string_view message) {
    for (Fields fields(message); fields.next();) {
      const auto number = fields.number();
      if (number == 2) span.status_message = text_from(fields.bytes(), options_.max_label_bytes);
      if (number == 3) span.status_code = known(fields.varint(), max_status_code);
    }
  }

  void add_text(Labels& labels, std::string_view name, std::string_view text) {
    if (text.empty()) return;
    labels.emplace_back(std::string(name), text_from(text, options_.max_label_bytes));
  }

  // False when the request has unfolded too far.
  bool finish(Span& span) {
    model::normalise(span.attributes);
    span.tags = model::merged(model::take_tags(span.attributes), origin_.tags);
    if (!out_.afford(sizeof(Span) + span.name.size() + span.status_message.size() +
                     bytes_of(span.tags) + bytes_of(span.attributes) + bytes_of(shared_))) {
      return false;
    }
    Labels all = shared_;
    for (auto& entry : span.attributes) all.push_back(std::move(entry));
    model::normalise(all);
    span.attributes = std::move(all);
    span.service = model::label(shared_, "service.name");
    return true;
  }

  Decoding<Spans> out_;
  const DecodeOptions& options_;
  Origin origin_;
  Labels shared_;  // of resource and scope
};

}  // namespace

Result<Decoded<Spans>> decode_traces(std::string_view body, Encoding encoding,
                                     const DecodeOptions& options) {
  std::string converted;
  if (encoding == Encoding::json) {
    converted = TRY(protobuf_from_json(body, Signal::traces, options.max_json_depth));
    body = converted;
  }
  return decode_guarded("traces", [&] { return TracesDecoder(options).decode(body); });
}

}  // namespace auscult::wire
