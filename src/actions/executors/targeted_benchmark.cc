// targeted_benchmark: repeats a benchmark and watches the block device meanwhile, so that what the
// device delivered can be set against what the benchmark itself got of it.
//
// Params: benchmark; repeats, 1 to 10 (default 1); params, an object of the benchmark's own;
// watch_device, a name of /proc/diskstats (default: the device under the scratch folder). A `peer`
// among the benchmark's own must be one that the node's policy lists: else whoever speaks for the
// server could aim every node at one host.
//
// Result: {"device": the one under the scratch folder, null where there is none,
//   "results": [benchmark results, repeat after repeat], "preflight": {"passed","warnings"},
//   "repeats_wanted", "repeats_done", "notes": [why fewer, what was changed to fit],
//   "device_counters": [by repeat], "own_io": [by repeat: reads, writes, read_bytes, write_bytes],
//   "cpu": [by repeat: busy_ratio, own_ratio, io_wait_ratio, steal_ratio of all CPUs]}

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "actions/device_interval.h"
#include "actions/executor.h"
#include "base/file.h"
#include "base/text.h"
#include "bench/benchmark.h"
#include "bench/host.h"
#include "bench/params.h"

namespace auscult::actions {

Executor targeted_benchmark();

namespace {

constexpr int64_t most_repeats = 10;
// Below a shortened run of this length the figure says nothing.
constexpr double least_run_seconds = 1;
// Of the time limit, kept for starting tools and writing the result down.
constexpr double reserve_seconds = 0.5;

struct Plan {
  bench::RunOptions options;
  int64_t repeats = 1;
  std::optional<std::string> scratch_device;
  std::optional<std::string> device;  // to watch
  Json notes{Json::Array{}};
};

Error wrong(const std::string& what) { return {ErrorCode::invalid_input, what}; }

Result<model::Labels> labels_of(const Json& object) {
  model::Labels labels;
  if (object.is_null()) return labels;
  if (!object.is_object()) return wrong("'params' must be an object");
  for (const auto& [name, value] : object.object()) {
    if (value.is_array() || value.is_object() || value.is_null()) {
      return wrong("params: '" + name + "' must be a plain value");
    }
    labels.emplace_back(name, value.is_string() ? value.string_or("") : value.dump());
  }
  model::normalise(labels);
  return labels;
}

Result<Plan> make_plan(const ActionRequest& request, const ExecutorContext& context) {
  const Json& params = request.params;
  Plan plan;
  if (!params["benchmark"].is_string()) return wrong("'benchmark' must name a benchmark");
  plan.options.benchmark = params["benchmark"].string_or("");
  const Json& repeats = params["repeats"];
  plan.repeats = repeats.is_null() ? 1 : repeats.int_or(0);
  if ((!repeats.is_null() && !repeats.is_integer()) || plan.repeats < 1 ||
      plan.repeats > most_repeats) {
    return wrong("'repeats' must be a whole number from 1 to 10");
  }
  auto completed = bench::complete_params(plan.options.benchmark, TRY(labels_of(params["params"])));
  // That it does not exist is the request's fault here, not a missing program.
  if (!completed) return wrong(completed.error().message);
  const std::string peer(model::label(*completed, "peer"));
  if (!peer.empty() && !context.policy.allow_peers.contains(peer)) {
    return wrong("peer '" + peer + "' is not among this node's allow_peers");
  }
  plan.options.request.params = *std::move(completed);
  plan.options.request.scratch = context.policy.scratch;
  plan.options.request.root = context.root;
  plan.options.tags = context.tags;
  plan.options.preflight = false;  // once, before the first repeat
  plan.scratch_device = bench::block_device_of(context.policy.scratch, context.root);
  plan.device = plan.scratch_device;
  if (const Json& watched = params["watch_device"]; !watched.is_null()) {
    plan.device = watched.string_or("");
    if (!bench::disk_counters_of(*plan.device, context.root)) {
      return wrong("'watch_device': this node has no block device '" + *plan.device + "'");
    }
  }
  return plan;
}

Result<bench::Benchmark> lookup(const std::string& name) {
  const auto table = bench::all_benchmarks();
  const auto* found = find_named(table, name);
  if (found == nullptr) return wrong("there is no benchmark '" + name + "'");
  return *found;
}

Result<Ok> check_bytes(const bench::Benchmark& benchmark, const Plan& plan,
                       const ActionLimits& limits) {
  if (!benchmark.uses_scratch) return Ok{};
  const auto text = model::label(plan.options.request.params, "size");
  const int64_t bytes = TRY(bench::parse_size(text), "parameter 'size'");
  if (bytes > limits.bytes) {
    return wrong("a file of " + format_bytes(static_cast<double>(bytes)) +
                 " is more than the action's limit of " +
                 format_bytes(static_cast<double>(limits.bytes)));
  }
  return Ok{};
}

// Shortens the run when it would not fit into `seconds_left`. The results carry the parameter that
// was really used, so nobody compares them with longer runs unaware.
Result<Ok> fit(const bench::Benchmark& benchmark, double seconds_left, Plan& plan) {
  auto& params = plan.options.request.params;
  const double expected = benchmark.expected_seconds(params);
  if (expected <= seconds_left) return Ok{};
  const Error too_long{ErrorCode::unavailable,
                       "a run takes about " + format_number(expected) + " s, and " +
                           format_number(std::max(seconds_left, 0.0)) + " s are left of the limit"};
  for (const std::string_view name : {"runtime", "seconds"}) {
    const auto now = to_double(model::label(params, name));
    if (!now) continue;
    // The expectation is a line in this parameter: two points give it.
    model::Labels half = params;
    bench::set_param(half, name, format_number(*now / 2));
    const double slope = (expected - benchmark.expected_seconds(half)) / (*now / 2);
    if (slope <= 0) return too_long;
    // Whole seconds: some benchmarks take no others, and such runs compare with one another.
    const double fitting = std::floor(*now - (expected - seconds_left) / slope);
    if (fitting < least_run_seconds) return too_long;
    bench::set_param(params, name, format_number(fitting));
    plan.notes.push(std::string(name) + " shortened from " + format_number(*now) + " to " +
                    format_number(fitting) + " s, to fit into the time limit");
    return Ok{};
  }
  return too_long;
}

double own_cpu_seconds() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      seconds += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    }
  }
  return seconds;
}

// What is observed around a repeat.
struct Look {
  std::chrono::nanoseconds time{};
  std::optional<bench::DiskCounters> disk;
  std::optional<bench::CpuTimes> cpu;
  double own_cpu_seconds = 0;
};

Look look(const Plan& plan, const ExecutorContext& context) {
  Look now{.time = context.clock->monotonic(),
           .cpu = bench::cpu_times(context.root),
           .own_cpu_seconds = own_cpu_seconds()};
  if (plan.device) now.disk = bench::disk_counters_of(*plan.device, context.root);
  return now;
}

Json cpu_json(const Look& before, const Look& after) {
  if (!before.cpu || !after.cpu || after.cpu->total <= before.cpu->total) return {};
  const double total = after.cpu->total - before.cpu->total;
  const double idle = after.cpu->idle - before.cpu->idle;
  const double io_wait = std::max(0.0, after.cpu->io_wait - before.cpu->io_wait);
  const double own = (after.own_cpu_seconds - before.own_cpu_seconds) *
                     static_cast<double>(::sysconf(_SC_CLK_TCK));
  Json json{Json::Object{}};
  json.set("busy_ratio", std::clamp((total - idle - io_wait) / total, 0.0, 1.0))
      .set("own_ratio", std::clamp(own / total, 0.0, 1.0))
      .set("io_wait_ratio", std::clamp(io_wait / total, 0.0, 1.0))
      .set("steal_ratio", (after.cpu->steal - before.cpu->steal) / total);
  return json;
}

Json own_io_json(const bench::OwnIo& own) {
  Json json{Json::Object{}};
  json.set("reads", own.reads)
      .set("writes", own.writes)
      .set("read_bytes", own.read_bytes)
      .set("write_bytes", own.write_bytes);
  return json;
}

Json preflight_json(const model::PreflightOutcome& outcome) {
  Json warnings{Json::Array{}};
  for (const auto& warning : outcome.warnings) warnings.push(warning);
  Json json{Json::Object{}};
  json.set("passed", outcome.passed).set("warnings", std::move(warnings));
  return json;
}

// The lists of the result, one entry a repeat.
struct Repeats {
  Json results{Json::Array{}};
  Json device_counters{Json::Array{}};
  Json own_io{Json::Array{}};
  Json cpu{Json::Array{}};
  int64_t done = 0;
};

Result<Ok> run_once(const Plan& plan, const model::PreflightOutcome& preflight,
                    const ExecutorContext& context, Repeats& repeats) {
  const Look before = look(plan, context);
  bench::CompletedRun run = TRY(bench::run_benchmark_counting_io(plan.options, *context.clock));
  const Look after = look(plan, context);
  const double seconds = std::chrono::duration<double>(after.time - before.time).count();
  for (auto& result : run.results) {
    result.preflight.passed = preflight.passed;
    result.preflight.warnings.insert(result.preflight.warnings.begin(), preflight.warnings.begin(),
                                     preflight.warnings.end());
    repeats.results.push(model::to_json(result));
  }
  const bool watched = before.disk && after.disk && seconds > 0;
  repeats.device_counters.push(watched ? interval_totals(*before.disk, *after.disk, seconds)
                                       : Json());
  repeats.own_io.push(own_io_json(run.own_io));
  repeats.cpu.push(cpu_json(before, after));
  ++repeats.done;
  return Ok{};
}

Result<Json> run(const ActionRequest& request, const ExecutorContext& context) {
  const auto started = context.clock->monotonic();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(context.clock->monotonic() - started).count();
  };
  Plan plan = TRY(make_plan(request, context));
  const bench::Benchmark benchmark = TRY(lookup(plan.options.benchmark));
  TRY(check_bytes(benchmark, plan, request.limits));
  TRY(make_folder(context.policy.scratch, 0700));
  const double limit = request.limits.seconds - reserve_seconds;
  // Load by others is what such an experiment is about: it is recorded and does not stop it.
  const auto preflight = TRY(bench::run_preflight(plan.options.benchmark, plan.options.request));
  TRY(fit(benchmark, limit - elapsed(), plan));

  Repeats repeats;
  double longest = 0;
  for (int64_t i = 0; i < plan.repeats; ++i) {
    const double begin = elapsed();
    if (i > 0 && begin + longest > limit) {
      plan.notes.push("another repeat would exceed the time limit");
      break;
    }
    if (i > 0 && context.still_allowed) {
      if (const auto allowed = context.still_allowed(); !allowed) {
        plan.notes.push("stopped: " + allowed.error().message);
        break;
      }
    }
    plan.options.request.max_seconds = std::max(limit - begin, 0.1);
    const auto outcome = run_once(plan, preflight, context, repeats);
    // What was measured before stays evidence.
    if (!outcome && i == 0) return outcome.error();
    if (!outcome) {
      plan.notes.push("repeat " + std::to_string(i + 1) + ": " + outcome.error().message);
      break;
    }
    longest = std::max(longest, elapsed() - begin);
  }
  Json json{Json::Object{}};
  json.set("device", plan.scratch_device ? Json(*plan.scratch_device) : Json())
      .set("results", std::move(repeats.results))
      .set("preflight", preflight_json(preflight))
      .set("repeats_wanted", plan.repeats)
      .set("repeats_done", repeats.done)
      .set("notes", std::move(plan.notes))
      .set("device_counters", std::move(repeats.device_counters))
      .set("own_io", std::move(repeats.own_io))
      .set("cpu", std::move(repeats.cpu));
  return json;
}

}  // namespace

Executor targeted_benchmark() {
  return {.summary = "repeats a benchmark and watches the block device meanwhile",
          .action_class = "benchmark",
          .params = {"benchmark", "repeats", "params", "watch_device"},
          .run = run};
}

}  // namespace auscult::actions
