#include "alert/watch.h"

#include <algorithm>
#include <cmath>

#include "stats/quantile.h"

namespace auscult::alert {
namespace {

using store::Point;
using store::TimeRange;
using Verdict = TriggerState::Verdict;

// The window that is judged, and the history it is compared with. The gap between them keeps the
// beginning of an illness out of its own baseline.
constexpr int64_t window_ns = 10 * ns_per_s;
constexpr int64_t gap_ns = 20 * ns_per_s;
constexpr int64_t history_ns = int64_t{6} * 3600 * ns_per_s;  // bounds what one evaluation reads
constexpr int64_t slow_interval_ns =
    5 * ns_per_s;  // an agent slower than this gets a longer window
constexpr size_t window_points_slow = 4;
constexpr size_t min_window_points = 3;
constexpr size_t min_baseline_points = 30;  // the spread of fewer is a guess
constexpr double spreads = 6;               // one in 10^9 points of a normal series
constexpr size_t max_quiet_ranges = 1000;

const std::vector<Trigger> triggers = {
    {.name = "cpu_pressure",
     .title = "tasks wait for a CPU",
     .category = "cpu",
     .signal = "cpu_pressure_ratio",
     .bound = 0.5,
     .min_change = 0.3,
     .why =
         "half of the time somebody is ready to run and does not: a data loader halves its pace"},
    {.name = "io_pressure",
     .title = "tasks wait for I/O",
     .category = "storage",
     .signal = "io_pressure_ratio",
     .bound = 0.5,
     .min_change = 0.3,
     .why = "half of the time somebody waits for the disk: a checkpoint takes twice as long"},
    {.name = "memory_short",
     .title = "host memory runs out",
     .category = "memory",
     .signal = "memory_available_ratio",
     .bound = 0.15,
     .min_change = 0.2,
     .or_signal = "memory_available_bytes",
     .or_bound = 2.5 * 1024 * 1024 * 1024,
     .why = "below a tenth the kernel begins to kill; 15% or 2.5 GiB leaves time to act"},
};

std::vector<double> values(const std::vector<Point>& points) {
  std::vector<double> list;
  for (const Point& point : points) list.push_back(point.value);
  return list;
}

std::vector<Point> between(const std::vector<Point>& points, TimeRange range) {
  std::vector<Point> found;
  for (const Point& point : points) {
    if (point.timestamp_ns >= range.begin_ns && point.timestamp_ns < range.end_ns) {
      found.push_back(point);
    }
  }
  return found;
}

// The judged window: 10 s, or the last four points of an agent that reports less often.
TimeRange window_of(const std::vector<Point>& points, int64_t now_ns) {
  TimeRange range{now_ns - window_ns, now_ns + 1};
  if (points.size() <= window_points_slow) return range;
  const auto last = points.end() - 1;
  const auto first = points.end() - static_cast<long>(window_points_slow);
  const int64_t interval_ns =
      (last->timestamp_ns - first->timestamp_ns) / static_cast<int64_t>(window_points_slow - 1);
  if (interval_ns > slow_interval_ns) {
    range.begin_ns = now_ns - interval_ns * static_cast<int64_t>(window_points_slow) - window_ns;
  }
  return range;
}

}  // namespace

const std::vector<Trigger>& all_triggers() { return triggers; }

std::string_view to_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::no_data:
      return "no_data";
    case Verdict::no_baseline:
      return "no_baseline";
    case Verdict::clear:
      return "clear";
    case Verdict::firing:
      return "firing";
  }
  return "no_data";
}

Decision decide(const Trigger& trigger, bool higher_is_worse, const std::vector<Point>& baseline,
                const std::vector<Point>& window) {
  Decision decision;
  if (window.size() < min_window_points) return decision;
  const auto value = stats::median(values(window));
  if (!value) return decision;
  decision.value = *value;
  decision.verdict = Verdict::no_baseline;
  if (baseline.size() < min_baseline_points) return decision;
  const auto middle = stats::median(values(baseline));
  const auto spread = stats::mad_sigma(values(baseline));
  if (!middle || !spread) return decision;

  const double distance = std::max(spreads * *spread, trigger.min_change);
  decision.baseline = *middle;
  decision.threshold = higher_is_worse ? std::max(trigger.bound, *middle + distance)
                                       : std::min(trigger.bound, *middle - distance);
  const auto beyond = [&](double x) {
    return higher_is_worse ? x >= decision.threshold : x <= decision.threshold;
  };
  decision.verdict = beyond(decision.value) ? Verdict::firing : Verdict::clear;
  for (auto point = window.rbegin(); point != window.rend() && beyond(point->value); ++point) {
    decision.started_at_ns = point->timestamp_ns;
  }
  if (decision.started_at_ns == 0) decision.started_at_ns = window.front().timestamp_ns;
  return decision;
}

bool Watch::is_quiet(const NodeState& node, int64_t time_ns) const {
  return std::any_of(node.quiet.begin(), node.quiet.end(), [&](const TimeRange& range) {
    return time_ns >= range.begin_ns && time_ns < range.end_ns;
  });
}

void Watch::drop_quiet(const NodeState& node, std::vector<Point>& points) const {
  std::erase_if(points, [&](const Point& point) { return is_quiet(node, point.timestamp_ns); });
}

Result<std::vector<Alert>> Watch::evaluate(const std::string& node_id, int64_t now_ns) {
  std::vector<Alert> alerts;
  for (const Trigger& trigger : triggers) {
    const Signal& signal = *find_signal(trigger.signal);
    const TimeRange range{now_ns - history_ns, now_ns + 1};
    auto series = TRY(read_signal(store_, signal, node_id, range));
    std::vector<Point> points;
    if (!series.empty()) points = std::move(series.front().points);

    const std::lock_guard lock(mutex_);
    NodeState& node = nodes_[node_id];
    drop_quiet(node, points);
    const TimeRange window = window_of(points, now_ns);
    const TimeRange learned{range.begin_ns, window.begin_ns - gap_ns};
    const auto baseline = between(points, learned);
    Trigger judged = trigger;
    if (!trigger.or_signal.empty() && !points.empty()) {
      // The second bound in the unit of the first: bytes as a share of what this node has.
      const auto other = TRY(read_signal(store_, *find_signal(trigger.or_signal), node_id,
                                         {points.back().timestamp_ns, now_ns + 1}));
      if (!other.empty() && points.back().value > 0 && other.front().points.back().value > 0) {
        const double total = other.front().points.back().value / points.back().value;
        judged.bound = std::max(trigger.bound, trigger.or_bound / total);
      }
    }
    const Decision decision =
        decide(judged, signal.higher_is_worse, baseline, between(points, window));
    TriggerState& state = node.triggers[std::string(trigger.name)];
    const bool was_firing = state.verdict == Verdict::firing;
    state = {.trigger = std::string(trigger.name),
             .verdict = decision.verdict,
             .baseline_points = baseline.size(),
             .value = decision.value,
             .threshold = decision.threshold};
    if (decision.verdict != Verdict::firing || was_firing || is_quiet(node, now_ns)) {
      if (is_quiet(node, now_ns) && decision.verdict == Verdict::firing && !was_firing) {
        state.verdict = Verdict::clear;
      }
      continue;
    }
    alerts.push_back({.id = std::string(trigger.name) + "-" + node_id + "-" +
                            std::to_string(decision.started_at_ns / 1'000'000),
                      .node_id = node_id,
                      .trigger = std::string(trigger.name),
                      .title = std::string(trigger.title),
                      .category = std::string(trigger.category),
                      .signal = std::string(trigger.signal),
                      .value = decision.value,
                      .baseline = decision.baseline,
                      .threshold = decision.threshold,
                      .unit = std::string(signal.unit),
                      .started_at_ns = decision.started_at_ns,
                      .fired_at_ns = now_ns,
                      .baseline_range = learned});
  }
  return alerts;
}

std::vector<TriggerState> Watch::state(const std::string& node_id) const {
  const std::lock_guard lock(mutex_);
  std::vector<TriggerState> states;
  const auto node = nodes_.find(node_id);
  if (node == nodes_.end()) return states;
  for (const auto& [name, state] : node->second.triggers) states.push_back(state);
  return states;
}

void Watch::quiet(const std::string& node_id, TimeRange range) {
  const std::lock_guard lock(mutex_);
  auto& ranges = nodes_[node_id].quiet;
  if (!ranges.empty() && ranges.back().begin_ns == range.begin_ns) {
    ranges.back().end_ns = range.end_ns;
    return;
  }
  ranges.push_back(range);
  if (ranges.size() > max_quiet_ranges) ranges.erase(ranges.begin());
}

}  // namespace auscult::alert
