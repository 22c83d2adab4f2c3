// Durations as Prometheus writes them: "15s", "1h30m", "2w".
#pragma once

#include <chrono>
#include <string_view>

#include "base/result.h"

namespace auscult::serve {

// Whole numbers of y (365 days), w, d, h, m, s and ms, each unit at most once and the larger first;
// "0" alone needs none. invalid_input for anything else, or more than 290 years.
// Source: model.ParseDuration of github.com/prometheus/common.
Result<std::chrono::milliseconds> parse_prometheus_duration(std::string_view text);

}  // namespace auscult::serve
