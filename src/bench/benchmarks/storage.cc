// storage: what a disk gives to small random requests and to the long streams of a training job.
//
// The file is written once before anything is measured, so that no phase pays for allocating blocks
// or reads holes. It has no name: nothing stays behind, however the run ends.

#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "base/text.h"
#include "bench/benchmark.h"
#include "bench/fio.h"
#include "bench/host.h"
#include "bench/params.h"

namespace auscult::bench {

Benchmark storage();

namespace {

constexpr double mega = 1e6;  // MB/s as disks and the DESIGN count them

// Time beyond its runtime that fio may need: start, and the final flush to a slow disk.
constexpr double spare_seconds = 30;
// A disk slower than this while the file is prepared is reported, not waited for.
constexpr double slowest_preparation_bytes_per_second = 8e6;

struct Phase {
  std::string_view name;
  std::string_view mode;
  bool random;
  bool parallel;                    // several workers, as a data loader has
  std::string_view rate_metric;     // IOPS where random, else MB/s
  std::string_view latency_metric;  // empty: none
};
constexpr Phase phases[] = {
    {"randread", "randread", true, false, "read_iops", "read_p99"},
    {"randwrite", "randwrite", true, false, "write_iops", "write_p99"},
    {"seqwrite", "write", false, false, "checkpoint_write", ""},
    {"seqread", "read", false, false, "checkpoint_read", ""},
    {"dataset", "read", false, true, "dataset_read", ""},
};

std::vector<std::string_view> phase_names() {
  std::vector<std::string_view> names;
  for (const Phase& phase : phases) names.push_back(phase.name);
  return names;
}

struct Settings {
  int64_t size_bytes = 0;
  double seconds = 0;  // of each phase
  std::vector<std::string> selected;
  int64_t block_bytes = 0;
  int64_t depth = 0;
  int64_t sequential_block_bytes = 0;
  int64_t sequential_depth = 0;
  int64_t jobs = 0;
  bool direct = true;
};

Result<Settings> read_settings(const model::Labels& params) {
  constexpr Range block_range{512, 64 << 20};
  Settings settings;
  settings.size_bytes = TRY(size_param(params, "size", {4 << 20, 1e13}));
  settings.seconds = TRY(number_param(params, "runtime", {0.1, 3600}));
  settings.selected = TRY(list_param(params, "phases", phase_names()));
  settings.block_bytes = TRY(size_param(params, "bs", block_range));
  settings.depth = TRY(count_param(params, "iodepth", {1, 4096}));
  settings.sequential_block_bytes = TRY(size_param(params, "seq_bs", block_range));
  settings.sequential_depth = TRY(count_param(params, "seq_iodepth", {1, 4096}));
  settings.jobs = TRY(count_param(params, "jobs", {1, 64}));
  settings.direct = TRY(count_param(params, "direct", {0, 1})) == 1;
  // Each worker of the parallel phase needs a whole block of its part.
  const int64_t part_bytes = settings.size_bytes / settings.jobs;
  if (std::max(settings.block_bytes, settings.sequential_block_bytes) > part_bytes) {
    return Error{ErrorCode::invalid_input, "parameters: bs and seq_bs must fit into size / jobs"};
  }
  return settings;
}

FioJob job_of(const Phase& phase, const Settings& settings) {
  return {.mode = std::string(phase.mode),
          .block_bytes = phase.random ? settings.block_bytes : settings.sequential_block_bytes,
          .size_bytes = settings.size_bytes,
          .depth = phase.random ? settings.depth : settings.sequential_depth,
          .jobs = phase.parallel ? settings.jobs : 1,
          .seconds = settings.seconds,
          .direct = settings.direct};
}

void count(const FioOutcome& outcome, OwnIo& own) {
  own.reads += outcome.read.operations;
  own.writes += outcome.write.operations;
  own.read_bytes += outcome.read.bytes;
  own.write_bytes += outcome.write.bytes;
}

// The scratch folder and the mount point that the figures are said to be of.
struct Place {
  std::filesystem::path folder;
  std::string mount_point;
};
Result<Place> find_place(const Request& request) {
  Place place{.folder = request.scratch.empty() ? std::filesystem::path(request.device)
                                                : request.scratch};
  if (place.folder.empty()) {
    return Error{ErrorCode::invalid_input, "a scratch folder on the disk to measure is needed"};
  }
  TRY(make_folder(place.folder, 0700));
  const auto mount = mount_of(place.folder, request.root);
  place.mount_point = mount ? mount->point : place.folder.string();
  if (!request.device.empty() && request.device != place.mount_point) {
    return Error{ErrorCode::invalid_input, "the scratch folder " + place.folder.string() +
                                               " lies on " + place.mount_point + ", not on " +
                                               request.device};
  }
  return place;
}

// What is left of the time limit, at most `wanted`.
Result<double> allowed_seconds(const Request& request, std::chrono::nanoseconds started,
                               double wanted) {
  if (request.max_seconds <= 0) return wanted;
  const auto gone = std::chrono::duration<double>(system_clock().monotonic() - started);
  const double left = request.max_seconds - gone.count();
  if (left <= 0) {
    return Error{ErrorCode::unavailable,
                 "the time limit of " + format_number(request.max_seconds) + " s is used up"};
  }
  return std::min(left, wanted);
}

void report(const Request& request, std::string_view text) {
  if (request.progress) request.progress(text);
}

// Writes the whole file once.
Result<Ok> prepare(const Settings& settings, const ScratchFile& file, double max_seconds,
                   Run& run) {
  const FioJob job{.mode = "write",
                   .block_bytes = settings.sequential_block_bytes,
                   .size_bytes = settings.size_bytes,
                   .depth = settings.sequential_depth,
                   .direct = settings.direct};
  count(TRY(run_fio(job, file, max_seconds), "preparing the file"), run.own_io);
  return Ok{};
}

Result<Ok> measure(const Phase& phase, const Settings& settings, const ScratchFile& file,
                   double max_seconds, Run& run) {
  const FioOutcome outcome = TRY(run_fio(job_of(phase, settings), file, max_seconds));
  count(outcome, run.own_io);
  const FioTraffic& traffic = phase.mode.ends_with("write") ? outcome.write : outcome.read;
  if (traffic.operations <= 0) {
    run.warnings.push_back("not one request ended in phase " + std::string(phase.name));
    return Ok{};
  }
  run.measurements.push_back(
      {.metric = std::string(phase.rate_metric),
       .value = phase.random ? traffic.iops : traffic.bytes_per_second / mega});
  if (!phase.latency_metric.empty()) {
    run.measurements.push_back(
        {.metric = std::string(phase.latency_metric), .value = traffic.p99_us});
  }
  return Ok{};
}

// Phases give rate and latency together; the contract is the order of Benchmark::metrics.
void sort_by_metrics(std::vector<Measurement>& measurements) {
  const auto metrics = storage().metrics;
  const auto position = [&](const Measurement& measurement) {
    return std::find_if(metrics.begin(), metrics.end(),
                        [&](const Metric& metric) { return metric.name == measurement.metric; });
  };
  std::sort(measurements.begin(), measurements.end(),
            [&](const auto& a, const auto& b) { return position(a) < position(b); });
}

Result<Run> run_storage(const Request& request) {
  const auto started = system_clock().monotonic();
  const model::Labels params = TRY(complete(storage().defaults, request.params));
  Settings settings = TRY(read_settings(params));
  const Place place = TRY(find_place(request));
  Run run{.device = place.mount_point, .params = params};

  const ScratchFile file = TRY(ScratchFile::create(place.folder, settings.size_bytes));
  if (settings.direct && !file.supports_direct()) {
    settings.direct = false;
    set_param(run.params, "direct", "0");
    run.warnings.push_back(place.mount_point +
                           " refuses direct I/O: the figures include the page cache");
  }
  const auto size_bytes = static_cast<double>(settings.size_bytes);
  report(request, "storage: preparing " + format_bytes(size_bytes));
  const double preparation_seconds = TRY(allowed_seconds(
      request, started, spare_seconds + size_bytes / slowest_preparation_bytes_per_second));
  TRY(prepare(settings, file, preparation_seconds, run));
  for (const Phase& phase : phases) {
    const auto& selected = settings.selected;
    if (std::find(selected.begin(), selected.end(), phase.name) == selected.end()) continue;
    report(request, "storage: " + std::string(phase.name));
    const double limit = TRY(allowed_seconds(request, started, settings.seconds + spare_seconds));
    TRY(measure(phase, settings, file, limit, run), phase.name);
  }
  sort_by_metrics(run.measurements);
  return run;
}

double expected_seconds(const model::Labels& params) {
  const auto settings = read_settings(params);
  if (!settings) return 0;
  // Half a second to start and flush each phase, and the file written at the pace of a plain SSD.
  constexpr double phase_overhead_seconds = 0.5;
  constexpr double preparation_bytes_per_second = 300e6;
  return static_cast<double>(settings->selected.size()) *
             (settings->seconds + phase_overhead_seconds) +
         static_cast<double>(settings->size_bytes) / preparation_bytes_per_second;
}

}  // namespace

Benchmark storage() {
  return {.summary = "disk: random 4 KiB requests, checkpoint and data set streams (fio)",
          .metrics = {{"read_iops", "1/s", Better::higher},
                      {"write_iops", "1/s", Better::higher},
                      {"read_p99", "us", Better::lower},
                      {"write_p99", "us", Better::lower},
                      {"checkpoint_write", "MB/s", Better::higher},
                      {"checkpoint_read", "MB/s", Better::higher},
                      {"dataset_read", "MB/s", Better::higher}},
          .preflight = {"free_space", "scratch_is_memory", "other_load", "cpu_governor"},
          .defaults = {{"bs", "4k"},
                       {"direct", "1"},
                       {"iodepth", "32"},
                       {"jobs", "4"},
                       {"phases", "randread,randwrite,seqwrite,seqread,dataset"},
                       {"runtime", "10"},
                       {"seq_bs", "1M"},
                       {"seq_iodepth", "4"},
                       {"size", "1G"}},
          .uses_scratch = true,
          .run = run_storage,
          .expected_seconds = expected_seconds};
}

}  // namespace auscult::bench
