// Signal: what the host's counters say in terms of health: a ratio, a wait, a rate.
//
// Each is a quotient of sums of rates or of gauges, so that one evaluator serves all; `promql` says
// the same in the words that a user can paste into any Prometheus.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/store.h"

namespace auscult::alert {

struct Term {
  std::string_view metric;
  std::string_view label;                  // with `excluded`: series whose label has one of these
  std::vector<std::string_view> excluded;  // values are left out
};

struct Signal {
  std::string_view name;
  std::string_view title;
  std::string_view unit;  // "1" for a ratio
  bool higher_is_worse = true;
  bool rate = true;        // of counters; else gauges as they are
  std::string_view group;  // label that splits the signal (device), or empty
  std::vector<Term> numerator;
  std::vector<Term> denominator;  // empty: seconds for a rate, 1 for a gauge
  std::string_view promql;
};

// The table of signals, sorted by name.
const std::vector<Signal>& all_signals();
const Signal* find_signal(std::string_view name);

// The signal's PromQL for one node and, where it has devices, one of them (empty: all).
std::string promql_for(const Signal& signal, const std::string& node_id, const std::string& device);

struct SignalSeries {
  std::string device;  // value of the group label, or empty
  std::vector<store::Point> points;
};

// The signal of a node, one entry a device, sorted by device. No series in the store: an empty
// list. A counter that went back (restart) gives no point there. O(points).
Result<std::vector<SignalSeries>> read_signal(store::Store& store, const Signal& signal,
                                              const std::string& node_id, store::TimeRange range);

// The same on series already read: series[i] must hold every series of the signal's terms.
std::vector<SignalSeries> evaluate_signal(const Signal& signal,
                                          const std::vector<store::Series>& series);

}  // namespace auscult::alert
