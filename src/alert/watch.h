// Watch: notices that a node has left its own baseline, and since when.
//
// A trigger fires when the last seconds of a signal lie beyond the node's own median by a multiple
// of its usual spread AND beyond an absolute bound below which nobody is hurt. Median and MAD bear
// up to half of the baseline being disturbed. Without enough baseline nothing fires: the state says
// no_baseline.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "alert/signal.h"
#include "base/clock.h"
#include "base/result.h"
#include "store/store.h"

namespace auscult::alert {

struct Trigger {
  std::string_view name;
  std::string_view title;
  std::string_view category;  // alerts of one node and category belong together
  std::string_view signal;
  double bound;       // absolute: beyond it somebody is hurt
  double min_change;  // and at least this far from the baseline median
  std::string_view
      or_signal;         // a second signal whose bound also counts (bytes where the first is a
  double or_bound = 0;   // share): empty when none
  std::string_view why;  // where the bounds come from
};

const std::vector<Trigger>& all_triggers();

struct Alert {
  std::string id;
  std::string node_id;
  std::string trigger;
  std::string title;
  std::string category;
  std::string signal;
  double value = 0;     // median of the window
  double baseline = 0;  // median of the baseline
  double threshold = 0;
  std::string unit;
  int64_t started_at_ns = 0;  // first point of the unbroken run beyond the threshold
  int64_t fired_at_ns = 0;
  store::TimeRange baseline_range;
};

struct TriggerState {
  enum class Verdict : uint8_t { no_data, no_baseline, clear, firing };
  std::string trigger;
  Verdict verdict = Verdict::no_data;
  size_t baseline_points = 0;
  double value = 0;
  double threshold = 0;
};
std::string_view to_text(TriggerState::Verdict verdict);

// The decision alone: series in, state out. `window` and `baseline` are ascending in time.
struct Decision {
  TriggerState::Verdict verdict = TriggerState::Verdict::no_data;
  double value = 0;
  double baseline = 0;
  double threshold = 0;
  int64_t started_at_ns = 0;
};
Decision decide(const Trigger& trigger, bool higher_is_worse,
                const std::vector<store::Point>& baseline, const std::vector<store::Point>& window);

// Thread-safe.
class Watch {
 public:
  explicit Watch(store::Store& store) : store_(store) {}

  // Alerts that began firing since the last call. One alert a node, trigger and illness: it fires
  // again only after the signal was back. A node that a test is disturbing (see quiet) is not
  // judged.
  Result<std::vector<Alert>> evaluate(const std::string& node_id, int64_t now_ns);

  // What the last evaluation saw, for the status page.
  std::vector<TriggerState> state(const std::string& node_id) const;

  // Our own benchmark or experiment disturbs the node: what was measured then is neither judged nor
  // learned from. Said again with the same begin, the end is corrected: announce the longest time,
  // then say when it was over.
  void quiet(const std::string& node_id, store::TimeRange range);

 private:
  struct NodeState {
    std::map<std::string, TriggerState> triggers;
    std::vector<store::TimeRange> quiet;  // newest last, at most 1,000
  };

  bool is_quiet(const NodeState& node, int64_t time_ns) const;
  void drop_quiet(const NodeState& node, std::vector<store::Point>& points) const;

  store::Store& store_;
  mutable std::mutex mutex_;
  std::map<std::string, NodeState> nodes_;
};

}  // namespace auscult::alert
