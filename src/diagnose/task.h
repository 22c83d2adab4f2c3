// Task: one typed, re-runnable question to the data, answered found, clear or no_data, with a
// figure.
//
// A task knows nothing of faults: what an answer means for a hypothesis stands in catalog/faults.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/named.h"
#include "base/result.h"
#include "store/store.h"

namespace auscult::diagnose {

enum class Answer : uint8_t { found, clear, no_data };
std::string_view to_text(Answer answer);

struct Statistic {
  std::string name;  // "ks", "permutation", "pearson"
  double value = 0;
  double p = std::numeric_limits<double>::quiet_NaN();
};

// Where the figure comes from, in words a person can run.
struct Source {
  std::string kind;  // promql, sql, log, trace, benchmark, action
  std::string query;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  std::string file;
  int64_t line = 0;
};

struct Finding {
  Answer answer = Answer::no_data;
  std::string statement;  // one sentence with the figure; for no_data: what was not observed
  double value = std::numeric_limits<double>::quiet_NaN();
  std::string unit;
  std::optional<double> baseline;
  std::optional<Statistic> statistic;
  Source source;
  Json detail;  // for machines: device, pid, command, matrix, ...
};

Json to_json(const Finding& finding);

struct TaskParameter {
  std::string_view name;
  std::string_view meaning;
  std::string_view fallback;  // empty and required: must be given
  bool required = false;
};

using TaskParameters = std::map<std::string, std::string>;

struct TaskContext {
  store::Store& store;
  const Clock& clock;
};

struct Task {
  std::string_view summary;
  std::vector<TaskParameter> parameters;
  Result<Finding> (*run)(const TaskParameters& parameters, const TaskContext& context) = nullptr;
};

std::vector<Named<Task>> all_tasks();

// Runs a task by name: unknown names and parameters are refused with the nearest right one,
// fallbacks are filled in. Same parameters, same data, same answer.
Result<Finding> run_task(const std::string& name, const TaskParameters& parameters,
                         const TaskContext& context);

// Parameters as numbers and times; invalid_input names the parameter.
Result<double> number_parameter(const TaskParameters& parameters, const std::string& name);
Result<store::TimeRange> range_parameters(const TaskParameters& parameters,
                                          const std::string& begin, const std::string& end);

}  // namespace auscult::diagnose
