#include "actions/executor.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"

namespace auscult::actions {
namespace {

// An executor keeps the limit itself, and then has to write its result down.
constexpr double grace_seconds = 1;

std::string suggestion(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string near = nearest_word(word, known);
  return near.empty() ? std::string() : ": did you mean '" + near + "'?";
}

}  // namespace

Result<Ok> check_executor(const ActionRequest& request) {
  const auto table = all_executors();
  const Executor* executor = find_named(table, request.action);
  if (executor == nullptr) {
    std::vector<std::string_view> names;
    names.reserve(table.size());
    for (const auto& row : table) names.push_back(row.name);
    return Error{ErrorCode::invalid_input,
                 "there is no action '" + request.action + "'" + suggestion(request.action, names)};
  }
  if (executor->action_class != request.action_class) {
    return Error{ErrorCode::invalid_input, "'" + request.action + "' is of the class '" +
                                               std::string(executor->action_class) + "', not '" +
                                               request.action_class + "'"};
  }
  const auto& known = executor->params;
  for (const auto& [name, value] : request.params.object()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return Error{ErrorCode::invalid_input, "'" + request.action + "' knows no parameter '" +
                                                 name + "'" + suggestion(name, known)};
    }
  }
  return Ok{};
}

ActionResult execute(const ActionRequest& request, const ExecutorContext& context) {
  CHECK(context.clock != nullptr, "the context of an action has a clock");
  ActionResult result{.id = request.id, .started_at_ns = context.clock->now_ns()};
  const auto started = context.clock->monotonic();
  const auto checked = check_executor(request);
  if (checked) {
    const auto table = all_executors();
    auto outcome = find_named(table, request.action)->run(request, context);
    const auto took = std::chrono::duration<double>(context.clock->monotonic() - started).count();
    if (outcome) {
      result.result = *std::move(outcome);
      result.status = took > request.limits.seconds + grace_seconds ? "timed_out" : "done";
    } else {
      result.message = outcome.error().message;
      result.status = took >= request.limits.seconds                     ? "timed_out"
                      : outcome.error().code == ErrorCode::invalid_input ? "refused"
                                                                         : "failed";
    }
    if (result.status == "timed_out" && result.message.empty()) {
      result.message = "it took " + format_number(took) + " s of " +
                       format_number(request.limits.seconds) + " s allowed";
    }
  } else {
    result.status = "refused";
    result.message = checked.error().message;
  }
  result.finished_at_ns = context.clock->now_ns();
  return result;
}

}  // namespace auscult::actions
