// Executor: carries out one action of the fixed list on the node.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "actions/action.h"
#include "base/clock.h"
#include "base/named.h"

namespace auscult::actions {

struct ExecutorContext {
  ActionPolicy policy;
  model::Tags tags;
  std::filesystem::path root = "/";
  const Clock* clock = nullptr;
  // May a running action go on? An error says why not. Asked between the parts of an action; empty:
  // it may.
  std::function<Result<Ok>()> still_allowed;
};

struct Executor {
  std::string_view summary;
  std::string_view action_class;
  std::vector<std::string_view> params;  // known names; others are refused
  // `result` of ActionResult. Must end within request.limits.seconds.
  Result<Json> (*run)(const ActionRequest& request, const ExecutorContext& context) = nullptr;
};

std::vector<Named<Executor>> all_executors();

// Is there such an executor, is its class the one that the request names (the policy allowed that
// class and no other), and does it know every parameter? invalid_input, with the nearest known
// word.
Result<Ok> check_executor(const ActionRequest& request);

// Runs an admitted request: looks the executor up, keeps the time limit, turns errors into a
// result.
ActionResult execute(const ActionRequest& request, const ExecutorContext& context);

}  // namespace auscult::actions
