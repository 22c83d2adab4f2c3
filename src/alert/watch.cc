#include "alert/watch.h"

#include <algorithm>
#include <array>
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

// A share of time cannot pass 1, and its measure swings a little below that: a threshold beyond
// 0.95 would never be reached and a saturated node would read as healthy.
constexpr double max_ratio_threshold = 0.95;
// The judged value is a median of at least 3 points: it strays by less than 2 spreads of a point.
constexpr double min_room_spreads = 2;

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
  list.reserve(points.size());
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
  // The middle of the last intervals: one that is a silence does not make the agent slow, or the
  // window would reach back to what was before it.
  std::array<int64_t, window_points_slow - 1> intervals_ns{};
  for (size_t i = 0; i < intervals_ns.size(); ++i) {
    const auto point = points.end() - 1 - static_cast<long>(i);
    intervals_ns[i] = point->timestamp_ns - (point - 1)->timestamp_ns;
  }
  const auto middle = intervals_ns.begin() + intervals_ns.size() / 2;
  std::nth_element(intervals_ns.begin(), middle, intervals_ns.end());
  const int64_t interval_ns = *middle;
  if (interval_ns > slow_interval_ns) {
    range.begin_ns = now_ns - interval_ns * static_cast<int64_t>(window_points_slow) - window_ns;
  }
  return range;
}

double threshold_of(const Trigger& trigger, bool higher_is_worse, double middle, double spread) {
  const double distance = std::max(spreads * spread, trigger.min_change);
  const bool is_ratio = find_signal(trigger.signal)->unit == "1";
  if (higher_is_worse) {
    const double threshold = std::max(trigger.bound, middle + distance);
    return is_ratio ? std::min(threshold, max_ratio_threshold) : threshold;
  }
  // A node that usually has little left cannot lose `distance` of it: 18% less 20% is below
  // nothing. It fires at half of the bound, or at half of its usual where that is less.
  return std::max(std::min(trigger.bound, middle - distance), std::min(trigger.bound, middle) / 2);
}

bool is_quiet(const std::vector<TimeRange>& quiet, int64_t time_ns) {
  return std::any_of(quiet.begin(), quiet.end(), [&](const TimeRange& range) {
    return time_ns >= range.begin_ns && time_ns < range.end_ns;
  });
}

// The points whose time since the point before overlaps no quiet range: a rate averages over it.
std::vector<Point> without_quiet(const std::vector<Point>& points,
                                 const std::vector<TimeRange>& quiet) {
  std::vector<Point> kept;
  for (size_t i = 0; i < points.size(); ++i) {
    const int64_t end_ns = points[i].timestamp_ns;
    const int64_t begin_ns = i > 0 ? points[i - 1].timestamp_ns : end_ns;
    const bool disturbed = std::any_of(quiet.begin(), quiet.end(), [&](const TimeRange& range) {
      return end_ns >= range.begin_ns && begin_ns < range.end_ns;
    });
    if (!disturbed) kept.push_back(points[i]);
  }
  return kept;
}

// Whether the node said nothing for too long at some time since then: not whether it was judged.
bool was_silent(const std::vector<Point>& points, int64_t heard_at_ns) {
  constexpr int64_t max_silence_ns = std::chrono::nanoseconds(Watch::max_silence).count();
  int64_t before_ns = heard_at_ns;
  for (const Point& point : points) {
    if (point.timestamp_ns <= heard_at_ns) continue;
    if (point.timestamp_ns - before_ns > max_silence_ns) return true;
    before_ns = point.timestamp_ns;
  }
  return false;
}

// The trigger with its second bound in the unit of the first: bytes as a share of what this node
// has. `last` is the newest point of the first signal.
Result<Trigger> with_second_bound(store::Store& store, const Trigger& trigger,
                                  const std::string& node_id, const Point& last) {
  Trigger judged = trigger;
  if (trigger.or_signal.empty() || last.value <= 0) return judged;
  const auto other = TRY(read_signal(store, *find_signal(trigger.or_signal), node_id,
                                     {last.timestamp_ns, last.timestamp_ns + 1}));
  if (other.empty() || other.front().points.back().value <= 0) return judged;
  const double total = other.front().points.back().value / last.value;
  judged.bound = std::max(trigger.bound, trigger.or_bound / total);
  return judged;
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

  decision.baseline = *middle;
  decision.threshold = threshold_of(trigger, higher_is_worse, *middle, *spread);
  // A node whose usual value lies at the threshold gives nothing to judge by.
  const double room = higher_is_worse ? decision.threshold - *middle : *middle - decision.threshold;
  if (room <= min_room_spreads * *spread) return decision;
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

Watch::NodeState& Watch::node_state(const std::string& node_id) {
  if (nodes_.size() >= max_nodes && !nodes_.contains(node_id)) {
    const auto forgotten =
        std::min_element(nodes_.begin(), nodes_.end(), [](const auto& a, const auto& b) {
          return std::pair(!a.second.triggers.empty(), a.second.touched) <
                 std::pair(!b.second.triggers.empty(), b.second.touched);
        });
    nodes_.erase(forgotten);
  }
  NodeState& node = nodes_[node_id];
  node.touched = ++n_touches_;
  return node;
}

Result<std::optional<Alert>> Watch::judge(const Trigger& trigger, const std::string& node_id,
                                          int64_t now_ns) {
  const Signal& signal = *find_signal(trigger.signal);
  const TimeRange range{now_ns - history_ns, now_ns + 1};
  // Reads first: no other node waits for this one's queries.
  const auto series = TRY(read_signal(store_, signal, node_id, range));
  const std::vector<Point> points = series.empty() ? std::vector<Point>{} : series.front().points;
  const Trigger judged =
      points.empty() ? trigger : TRY(with_second_bound(store_, trigger, node_id, points.back()));
  // By all points: one that was dropped would make the agent look slow and the window old.
  const TimeRange window = window_of(points, now_ns);
  const TimeRange learned{range.begin_ns, window.begin_ns - gap_ns};

  const std::lock_guard lock(mutex_);
  NodeState& node = node_state(node_id);
  const auto undisturbed = without_quiet(points, node.quiet);
  const auto baseline = between(undisturbed, learned);
  Decision decision =
      decide(judged, signal.higher_is_worse, baseline, between(undisturbed, window));
  // What is being disturbed is not judged, and that is not health.
  if (is_quiet(node.quiet, now_ns)) decision.verdict = Verdict::no_data;
  TriggerMemory& memory = node.triggers[std::string(trigger.name)];
  memory.state = {.trigger = std::string(trigger.name),
                  .verdict = decision.verdict,
                  .baseline_points = baseline.size(),
                  .value = decision.value,
                  .threshold = decision.threshold};
  if (was_silent(points, memory.heard_at_ns)) memory.ill = false;
  if (!points.empty()) memory.heard_at_ns = points.back().timestamp_ns;
  const bool was_ill = memory.ill;
  if (decision.verdict == Verdict::firing) memory.ill = true;
  if (decision.verdict == Verdict::clear) memory.ill = false;
  if (was_ill || !memory.ill) return std::optional<Alert>{};
  return std::optional<Alert>({.id = std::string(trigger.name) + "-" + node_id + "-" +
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

Result<std::vector<Alert>> Watch::evaluate(const std::string& node_id, int64_t now_ns) {
  std::vector<Alert> alerts;
  for (const Trigger& trigger : triggers) {
    auto alert = TRY(judge(trigger, node_id, now_ns));
    if (alert) alerts.push_back(*std::move(alert));
  }
  return alerts;
}

std::vector<TriggerState> Watch::state(const std::string& node_id) const {
  const std::lock_guard lock(mutex_);
  std::vector<TriggerState> states;
  const auto node = nodes_.find(node_id);
  if (node == nodes_.end()) return states;
  for (const auto& [name, memory] : node->second.triggers) states.push_back(memory.state);
  return states;
}

size_t Watch::n_nodes() const {
  const std::lock_guard lock(mutex_);
  return nodes_.size();
}

void Watch::quiet(const std::string& node_id, TimeRange range) {
  const std::lock_guard lock(mutex_);
  auto& ranges = node_state(node_id).quiet;
  const auto announced = std::find_if(ranges.begin(), ranges.end(), [&](const TimeRange& one) {
    return one.begin_ns == range.begin_ns;
  });
  if (announced != ranges.end()) {
    announced->end_ns = range.end_ns;
    return;
  }
  ranges.push_back(range);
  if (ranges.size() > max_quiet_ranges) ranges.erase(ranges.begin());
}

}  // namespace auscult::alert
