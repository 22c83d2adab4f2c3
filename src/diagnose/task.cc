#include "diagnose/task.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace auscult::diagnose {
namespace {

Error unknown(std::string_view what, const std::string& name,
              const std::vector<std::string_view>& candidates) {
  const std::string near = nearest_word(name, candidates);
  std::string known;
  for (const auto candidate : candidates)
    known += (known.empty() ? "" : ", ") + std::string(candidate);
  return {ErrorCode::invalid_input,
          "unknown " + std::string(what) + " '" + name +
              "': " + (near.empty() ? "known are " + known : "did you mean '" + near + "'?")};
}

}  // namespace

std::string_view to_text(Answer answer) {
  switch (answer) {
    case Answer::found:
      return "found";
    case Answer::clear:
      return "clear";
    case Answer::no_data:
      return "no_data";
  }
  return "no_data";
}

Json to_json(const Finding& finding) {
  Json json{Json::Object{}};
  json.set("answer", to_text(finding.answer))
      .set("statement", finding.statement)
      .set("value", finding.value)
      .set("unit", finding.unit)
      .set("baseline", finding.baseline ? Json(*finding.baseline) : Json());
  if (finding.statistic) {
    json.set("statistic", Json(Json::Object{{"name", finding.statistic->name},
                                            {"value", finding.statistic->value},
                                            {"p", finding.statistic->p}}));
  }
  json.set("detail", finding.detail);
  return json;
}

Result<Finding> run_task(const std::string& name, const TaskParameters& parameters,
                         const TaskContext& context) {
  const auto tasks = all_tasks();
  const Task* task = find_named(tasks, name);
  if (task == nullptr) {
    std::vector<std::string_view> names;
    for (const auto& row : tasks) names.push_back(row.name);
    return unknown("task", name, names);
  }
  TaskParameters complete;
  std::vector<std::string_view> known;
  for (const auto& parameter : task->parameters) {
    known.push_back(parameter.name);
    const auto given = parameters.find(std::string(parameter.name));
    if (given != parameters.end()) {
      complete[given->first] = given->second;
    } else if (parameter.required) {
      return Error{ErrorCode::invalid_input, "task " + name + " needs the parameter '" +
                                                 std::string(parameter.name) + "' (" +
                                                 std::string(parameter.meaning) + ")"};
    } else {
      complete[std::string(parameter.name)] = parameter.fallback;
    }
  }
  for (const auto& [key, value] : parameters) {
    if (!complete.contains(key)) return unknown("parameter of task " + name, key, known);
  }
  return TRY(task->run(complete, context), "task " + name);
}

Result<double> number_parameter(const TaskParameters& parameters, const std::string& name) {
  const auto& text = parameters.at(name);
  if (const auto number = to_double(text); number && std::isfinite(*number)) return *number;
  return Error{ErrorCode::invalid_input,
               "parameter '" + name + "' must be a number, not '" + text + "'"};
}

Result<store::TimeRange> range_parameters(const TaskParameters& parameters,
                                          const std::string& begin, const std::string& end) {
  const store::TimeRange range{TRY(parse_time(parameters.at(begin)), "parameter '" + begin + "'"),
                               TRY(parse_time(parameters.at(end)), "parameter '" + end + "'")};
  if (range.begin_ns > range.end_ns) {
    return Error{ErrorCode::invalid_input, "'" + begin + "' lies after '" + end + "'"};
  }
  return range;
}

}  // namespace auscult::diagnose
