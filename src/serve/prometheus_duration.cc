#include "serve/prometheus_duration.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>

#include "base/text.h"

namespace auscult::serve {
namespace {

struct DurationUnit {
  std::string_view name;
  int64_t ms;
};

constexpr DurationUnit units[] = {{"y", 365LL * 86'400'000},
                                  {"w", 7LL * 86'400'000},
                                  {"d", 86'400'000},
                                  {"h", 3'600'000},
                                  {"m", 60'000},
                                  {"s", 1'000},
                                  {"ms", 1}};

constexpr int64_t max_ms = 290LL * 365 * 86'400'000;

}  // namespace

Result<std::chrono::milliseconds> parse_prometheus_duration(std::string_view text) {
  const Error bad{ErrorCode::invalid_input,
                  "'" + std::string(text) + "' is no duration: write 250ms, 15s, 1h30m, 7d or 2w"};
  if (text == "0") return std::chrono::milliseconds(0);
  if (text.empty()) return bad;
  int64_t total_ms = 0;
  const DurationUnit* next = std::begin(units);
  while (!text.empty()) {
    const size_t n_digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto number = to_int(text.substr(0, n_digits));
    text.remove_prefix(n_digits);
    const auto name = text.substr(0, std::min(text.find_first_of("0123456789"), text.size()));
    text.remove_prefix(name.size());
    while (next != std::end(units) && next->name != name) ++next;
    if (!number || next == std::end(units) || *number > (max_ms - total_ms) / next->ms) return bad;
    total_ms += *number * next->ms;
    ++next;
  }
  return std::chrono::milliseconds(total_ms);
}

}  // namespace auscult::serve
