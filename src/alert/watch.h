// Watch: notices that a node has left its own baseline, and since when.
//
// A trigger fires when the last seconds of a signal lie beyond the node's own median by a multiple
// of its usual spread AND beyond an absolute bound below which nobody is hurt. Median and MAD bear
// up to half of the baseline being disturbed. Without enough baseline nothing fires: the state says
// no_baseline; so it does where the baseline leaves no room for a node to become worse.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
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
  // Twice the nodes that one server is made for: names arrive from outside, and each costs memory.
  // Beyond, a node that was never judged is forgotten, else the one that was not asked for longest.
  static constexpr size_t max_nodes = 20'000;
  static constexpr size_t max_quiet_ranges = 1000;  // of a node, within the 6 h that it learns from
  // A restarted agent is back in seconds, and one that lost its server delivers what it kept: after
  // more the node was down, and whoever brought it back must hear that it is ill.
  static constexpr std::chrono::minutes max_silence{2};

  explicit Watch(store::Store& store) : store_(store) {}

  // Alerts that began firing since the last call. One alert a node, trigger and illness: it fires
  // again only after the signal was seen to be back, or after the node said nothing for longer than
  // max_silence. A node that a test is disturbing (see quiet) is not judged.
  Result<std::vector<Alert>> evaluate(const std::string& node_id, int64_t now_ns);

  // What the last evaluation saw, for the status page.
  std::vector<TriggerState> state(const std::string& node_id) const;
  size_t n_nodes() const;  // remembered

  // Our own benchmark or experiment disturbs the node: what was measured then is neither judged nor
  // learned from. That includes the first point after it, whose rate averages over the time since
  // the point before: a second or two of an agent that reports every second, up to 15 s of one that
  // reports every 15. Said again with the same begin, the end is corrected: announce the longest
  // time, then say when it was over.
  void quiet(const std::string& node_id, store::TimeRange range);

 private:
  struct TriggerMemory {
    TriggerState state;
    bool ill = false;         // fired, and was not seen to be back: a short silence does not count
    int64_t heard_at_ns = 0;  // the newest point of its signal
  };
  struct NodeState {
    std::map<std::string, TriggerMemory> triggers;
    std::vector<store::TimeRange> quiet;  // newest last
    uint64_t touched = 0;                 // grows with each use of any node
  };

  NodeState& node_state(const std::string& node_id);  // with the mutex held
  Result<std::optional<Alert>> judge(const Trigger& trigger, const std::string& node_id,
                                     int64_t now_ns);

  store::Store& store_;
  mutable std::mutex mutex_;
  std::map<std::string, NodeState> nodes_;  // at most max_nodes
  uint64_t n_touches_ = 0;
};

}  // namespace auscult::alert
