#include "bench/fio.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>

#include "base/json.h"
#include "base/process.h"
#include "base/text.h"

namespace auscult::bench {
namespace {

FioTraffic traffic(const Json& json) {
  return {.iops = json["iops"].number_or(0),
          .bytes_per_second = json["bw_bytes"].number_or(0),
          .p99_us = json["clat_ns"]["percentile"]["99.000000"].number_or(0) / 1000,
          .operations = json["total_ios"].number_or(0),
          .bytes = json["io_bytes"].number_or(0)};
}

// "fio: pid=0, err=28/file:..., error=No space left on device": the last line has the cause.
std::string last_line(std::string_view text) {
  std::string last;
  for (const auto line : split(text, '\n')) {
    if (!trim(line).empty()) last = std::string(trim(line));
  }
  return last;
}

}  // namespace

Result<FioOutcome> parse_fio(std::string_view output) {
  // fio writes notes in front of the JSON, on the same stream.
  const auto begin = output.find('{');
  if (begin == std::string_view::npos) {
    const std::string words = last_line(output);
    return Error{ErrorCode::corrupt, "fio printed no result" + (words.empty() ? "" : ": " + words)};
  }
  const auto parsed = Json::parse(output.substr(begin));
  if (!parsed) return Error{ErrorCode::corrupt, "output of fio: " + parsed.error().message};
  const Json& json = *parsed;
  const auto& jobs = json["jobs"].array();
  if (jobs.size() != 1 || !jobs[0]["read"].is_object() || !jobs[0]["write"].is_object()) {
    return Error{ErrorCode::corrupt, "output of fio: one job with read and write was expected"};
  }
  if (const int64_t error = jobs[0]["error"].int_or(0); error != 0) {
    return Error{ErrorCode::unavailable, "fio failed with error " + std::to_string(error)};
  }
  return FioOutcome{.read = traffic(jobs[0]["read"]), .write = traffic(jobs[0]["write"])};
}

Result<ScratchFile> ScratchFile::create(const std::filesystem::path& folder, int64_t bytes) {
  FileDescriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file && (errno == EOPNOTSUPP || errno == EISDIR)) {
    // NFS and older overlayfs: a name for a moment.
    std::string name = (folder / ".auscult_bench_XXXXXX").string();
    file.reset(::mkostemp(name.data(), O_CLOEXEC));
    if (file) ::unlink(name.c_str());
  }
  if (!file) return errno_error("creating a file in", folder);
  // fio unlinks and creates anew a file that is shorter than its job, by name: it must be
  // full-size.
  if (const int error = ::posix_fallocate(file.get(), 0, bytes); error != 0) {
    errno = error;
    return errno_error("allocating " + format_bytes(static_cast<double>(bytes)) + " in", folder);
  }
  return ScratchFile(std::move(file));
}

std::string ScratchFile::path() const {
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file_.get());
}

bool ScratchFile::supports_direct() const {
  return static_cast<bool>(FileDescriptor(::open(path().c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC)));
}

std::vector<std::string> fio_arguments(const FioJob& job, const std::string& path) {
  // Direct I/O must start at a block: each worker's part is a whole number of them.
  const int64_t part_bytes = job.size_bytes / job.jobs / job.block_bytes * job.block_bytes;
  std::vector<std::string> arguments = {
      "fio",
      "--name=auscult",
      "--output-format=json",
      "--group_reporting",
      "--thread",  // its workers then end with it, also when it is killed
      "--allow_file_create=0",
      "--filename=" + path,
      "--rw=" + job.mode,
      "--bs=" + std::to_string(job.block_bytes),
      "--size=" + std::to_string(part_bytes),
      "--numjobs=" + std::to_string(job.jobs),
      "--offset_increment=" + std::to_string(part_bytes),
      // Asynchronous reads of buffered files block all the same: libaio needs direct I/O.
      std::string("--ioengine=") + (job.direct ? "libaio" : "psync"),
      "--iodepth=" + std::to_string(job.direct ? job.depth : 1),
      std::string("--direct=") + (job.direct ? "1" : "0"),
      "--norandommap",
      "--randrepeat=0",
  };
  if (job.mode.ends_with("write")) arguments.emplace_back("--end_fsync=1");
  if (job.seconds > 0) {
    arguments.push_back("--runtime=" + std::to_string(std::llround(job.seconds * 1000)) + "ms");
    arguments.emplace_back("--time_based");
  }
  return arguments;
}

Result<FioOutcome> run_fio(const FioJob& job, const ScratchFile& file, double max_seconds) {
  const auto timeout = std::chrono::milliseconds(static_cast<int64_t>(max_seconds * 1000));
  const ProcessResult result =
      TRY(run_process(fio_arguments(job, file.path()), {.timeout = timeout}));
  if (result.timed_out) {
    return Error{ErrorCode::unavailable,
                 "fio (" + job.mode + ") did not end within " + format_number(max_seconds) + " s"};
  }
  auto outcome = parse_fio(result.out);
  if (result.exit_status != 0 || !outcome) {
    const std::string words = last_line(result.err);
    if (!words.empty()) return Error{ErrorCode::unavailable, words};
  }
  return outcome;
}

}  // namespace auscult::bench
