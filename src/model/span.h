// Span: one timed operation of a trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/tags.h"

namespace auscult::model {

struct Span {
  std::string trace_id;  // 32 hex digits
  std::string span_id;   // 16 hex digits
  std::string parent_span_id;
  std::string service;  // resource attribute service.name
  std::string name;
  int32_t kind = 0;  // OpenTelemetry SpanKind
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int32_t status_code = 0;  // 0 unset, 1 ok, 2 error
  std::string status_message;
  Labels attributes;  // without the six tags; sorted
  Tags tags;
};

using Spans = std::vector<Span>;

}  // namespace auscult::model
