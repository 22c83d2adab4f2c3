// Guard: the last line of defence of a thread that must outlive its tasks.
#pragma once

#include <functional>
#include <string_view>

namespace auscult {

// Runs the task; what it throws is logged under the name `who` and ends here. Modules answer with
// Result; this is for what nobody expected (no memory, a library's surprise), where losing one task
// is better than a server that terminates.
void run_guarded(std::string_view who, const std::function<void()>& task);

}  // namespace auscult
