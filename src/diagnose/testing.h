// Helpers of this module's tests: nodes with series written short, snapshots, fixed times.
#pragma once

#include <string>
#include <vector>

#include "base/text.h"
#include "diagnose/action_record.h"
#include "diagnose/task.h"
#include "store/memory_store.h"

namespace auscult::diagnose::testing {

inline constexpr int64_t start_ns = 1'700'000'000 * ns_per_s;

// "0.1x60 0.9x10": sixty points of 0.1, then ten of 0.9.
inline std::vector<double> series(std::string_view text) {
  std::vector<double> values;
  for (const auto word : words(text)) {
    const auto pieces = split(word, 'x');
    const auto times = pieces.size() > 1 ? to_int(pieces[1]).value_or(1) : 1;
    for (int64_t i = 0; i < times; ++i) values.push_back(to_double(pieces[0]).value_or(0));
  }
  return values;
}

inline void add_gauge(store::Store& store, const std::string& metric, model::Labels labels,
                      const std::vector<double>& values) {
  store::Batch batch;
  int64_t time_ns = start_ns;
  for (const double value : values) {
    batch.samples.push_back({.metric = metric,
                             .labels = labels,
                             .tags = {.node_id = "node1"},
                             .timestamp_ns = time_ns,
                             .value = value});
    time_ns += ns_per_s;
  }
  static_cast<void>(store.write_and_wait(std::move(batch)));
}

// A counter whose rate a second is `rates`.
inline void add_counter(store::Store& store, const std::string& metric, model::Labels labels,
                        const std::vector<double>& rates) {
  std::vector<double> values = {0};
  for (const double rate : rates) values.push_back(values.back() + rate);
  add_gauge(store, metric, std::move(labels), values);
}

// The text of start plus so many seconds.
inline std::string at(int64_t seconds) { return format_time(start_ns + seconds * ns_per_s); }

inline void add_action_result(store::Store& store, const std::string& incident,
                              const std::string& action, const std::string& status, Json result) {
  store::Batch batch;
  batch.events.push_back(
      {.incident_id = incident,
       .timestamp_ns = start_ns,
       .kind = event::action_result,
       .actor = "agent node1",
       .detail = Json(Json::Object{{"id", action},
                                   {"status", status},
                                   {"message", status == "done" ? "" : "not allowed here"},
                                   {"result", std::move(result)}})});
  static_cast<void>(store.write_and_wait(std::move(batch)));
}

inline TaskContext context(store::Store& store) { return {store, system_clock()}; }

}  // namespace auscult::diagnose::testing
