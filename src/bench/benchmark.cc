// Preflight, run, results.
#include "bench/benchmark.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "bench/host.h"
#include "bench/params.h"
#include "bench/preflight.h"

namespace auscult::bench {
namespace {

Result<Benchmark> lookup(std::string_view name) {
  const auto table = all_benchmarks();
  if (const Benchmark* found = find_named(table, name)) return *found;
  std::vector<std::string_view> names;
  std::string list;
  for (const auto& row : table) {
    names.push_back(row.name);
    list += (list.empty() ? "" : ", ") + std::string(row.name);
  }
  const std::string near = nearest_word(name, names);
  return Error{ErrorCode::not_found,
               "there is no benchmark '" + std::string(name) + "' here" +
                   (near.empty() ? "; there are " + list : ": did you mean '" + near + "'?")};
}

// "20261201T093000.123Z-5f2c9a01": sorts by time, and two runs in one millisecond differ.
std::string make_run_id(int64_t now_ns) {
  std::string id;
  for (const char c : format_time(now_ns)) {
    if (c != '-' && c != ':') id += c;
  }
  std::array<unsigned char, 4> bytes{};
  if (::getentropy(bytes.data(), bytes.size()) != 0) bytes = {};
  constexpr std::string_view hex = "0123456789abcdef";
  id += '-';
  for (const unsigned char byte : bytes) {
    id += hex[byte >> 4U];
    id += hex[byte & 15U];
  }
  return id;
}

// What the benchmark will write to the scratch folder; 0 when it has no size.
int64_t scratch_bytes(const Benchmark& benchmark, const model::Labels& params) {
  auto given = complete(benchmark.defaults, params);
  if (!given) return 0;
  const auto bytes = parse_size(model::label(*given, "size"));
  return bytes ? *bytes : 0;
}

Result<model::PreflightOutcome> preflight_of(const Benchmark& benchmark, const Request& request) {
  const PreflightContext context{
      .root = request.root,
      .scratch = benchmark.uses_scratch ? request.scratch : std::filesystem::path(),
      .scratch_bytes = scratch_bytes(benchmark, request.params)};
  model::PreflightOutcome outcome;
  const auto table = all_preflight();
  for (const std::string_view name : benchmark.preflight) {
    const Preflight* preflight = find_named(table, name);
    if (preflight == nullptr) {
      return Error{ErrorCode::internal, "there is no preflight check '" + std::string(name) + "'"};
    }
    if (request.progress) request.progress("preflight: " + std::string(name));
    const PreflightFinding finding = preflight->check(context);
    using Verdict = PreflightFinding::Verdict;
    if (finding.verdict == Verdict::clear) continue;
    if (finding.verdict == Verdict::failed) outcome.passed = false;
    const std::string_view word = finding.verdict == Verdict::failed    ? "failed: "
                                  : finding.verdict == Verdict::no_data ? "not checked: "
                                                                        : "";
    outcome.warnings.push_back(std::string(name) + ": " + std::string(word) + finding.message);
  }
  return outcome;
}

const Metric* metric_of(const Benchmark& benchmark, std::string_view name) {
  const auto found = std::find_if(benchmark.metrics.begin(), benchmark.metrics.end(),
                                  [&](const Metric& metric) { return metric.name == name; });
  return found == benchmark.metrics.end() ? nullptr : &*found;
}

}  // namespace

Result<model::Labels> complete_params(std::string_view benchmark, const model::Labels& params) {
  const Benchmark found = TRY(lookup(benchmark));
  return complete(found.defaults, params);
}

Result<model::PreflightOutcome> run_preflight(std::string_view benchmark, const Request& request) {
  return preflight_of(TRY(lookup(benchmark)), request);
}

Result<CompletedRun> run_benchmark_counting_io(const RunOptions& options, const Clock& clock) {
  const Benchmark benchmark = TRY(lookup(options.benchmark));
  Request request = options.request;
  request.params = TRY(complete(benchmark.defaults, options.request.params), options.benchmark);
  model::PreflightOutcome preflight;
  if (options.preflight) preflight = TRY(preflight_of(benchmark, request));

  const int64_t started_ns = clock.now_ns();
  Run run = TRY(benchmark.run(request), options.benchmark);
  for (auto& warning : run.warnings) preflight.warnings.push_back(std::move(warning));

  CompletedRun completed{.own_io = run.own_io};
  model::normalise(run.params);
  const model::BenchmarkResult common{
      .run_id = make_run_id(started_ns),
      .timestamp_ns = started_ns,
      .benchmark = options.benchmark,
      .device = run.device,
      .tags = options.tags,
      .params = run.params,
      .provenance = {.git_commit = std::string(git_commit()),
                     .cluster_version = cluster_version(request.root)},
      .preflight = std::move(preflight)};
  for (Measurement& measurement : run.measurements) {
    const Metric* metric = metric_of(benchmark, measurement.metric);
    if (metric == nullptr || !std::isfinite(measurement.value)) {
      return Error{ErrorCode::internal,
                   options.benchmark + " gave no usable figure for '" + measurement.metric + "'"};
    }
    model::BenchmarkResult result = common;
    result.metric = measurement.metric;
    result.value = measurement.value;
    result.unit = std::string(metric->unit);
    result.samples = std::move(measurement.samples);
    completed.results.push_back(std::move(result));
  }
  if (completed.results.empty()) {
    return Error{ErrorCode::unavailable, options.benchmark + " could not observe anything"};
  }
  return completed;
}

Result<model::BenchmarkResults> run_benchmark(const RunOptions& options, const Clock& clock) {
  return TRY(run_benchmark_counting_io(options, clock)).results;
}

}  // namespace auscult::bench
