// other_load: do other processes use the CPUs, or the disk that is to be measured?
//
// Failed above a bound: what the others take is missing in the figure, which then says something
// about them and not about the machine.

#include "base/clock.h"
#include "base/loop.h"
#include "bench/load.h"
#include "bench/preflight.h"

namespace auscult::bench {
namespace {

// One second sees a process that works in bursts, and 1% of one core is still one clock tick.
constexpr auto look_time = std::chrono::seconds(1);

PreflightFinding check(const PreflightContext& context) {
  const auto started = system_clock().monotonic();
  const LoadLook before = look_at_load(context.root, context.scratch);
  Sleeper().sleep(look_time, {});
  const LoadLook after = look_at_load(context.root, context.scratch);
  const auto elapsed = system_clock().monotonic() - started;
  return judge_load(before, after, std::chrono::duration<double>(elapsed).count());
}

}  // namespace

Preflight other_load() {
  return {.summary = "others do not use the CPUs, nor the disk to be measured", .check = check};
}

}  // namespace auscult::bench
