// LogRecord: one line of a log, with where it was found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/tags.h"

namespace auscult::model {

struct LogRecord {
  int64_t timestamp_ns = 0;
  int64_t observed_ns = 0;  // when it was read; orders lines whose own clock is wrong
  int32_t severity = 0;     // OpenTelemetry severity number, 1..24; 0 unknown
  std::string source;       // kernel, nccl, trainer, kubelet, ...
  std::string body;
  std::string trace_id;  // hex, may be empty
  std::string span_id;   // hex, may be empty
  Labels attributes;     // without the six tags; sorted
  Tags tags;
};

using LogRecords = std::vector<LogRecord>;

}  // namespace auscult::model
