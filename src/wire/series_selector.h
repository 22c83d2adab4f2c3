// Series selector: PromQL's name{label="value",...} -> matchers.
// Source: prometheus.io/docs/prometheus/latest/querying/basics, instant vector selectors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/remote_read.h"

namespace auscult::wire {

// invalid_input: not one selector, or one that an empty series would match, as Prometheus refuses
// it. Patterns are not looked into.
Result<std::vector<LabelMatcher>> parse_series_selector(std::string_view text);

// A pattern that matches this text only (RE2 and Go).
std::string quote_pattern(std::string_view text);

}  // namespace auscult::wire
