// fio: runs one job on a file that no name leads to, and reads the JSON that it prints.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace auscult::bench {

// One direction of a job.
struct FioTraffic {
  double iops = 0;
  double bytes_per_second = 0;
  double p99_us = 0;  // completion latency
  double operations = 0;
  double bytes = 0;
};
struct FioOutcome {
  FioTraffic read;
  FioTraffic write;
};

// What fio printed with --output-format=json and --group_reporting. corrupt when that cannot be
// read; unavailable with fio's own words when the job failed.
Result<FioOutcome> parse_fio(std::string_view output);

// A file in `folder` of `bytes` allocated bytes that has no name: it is gone when the object is, or
// the process, however that ends. fio reaches it through /proc.
class ScratchFile {
 public:
  static Result<ScratchFile> create(const std::filesystem::path& folder, int64_t bytes);
  std::string path() const;
  // Does the file system let reads and writes past the page cache? tmpfs refused before Linux 6.6.
  bool supports_direct() const;

 private:
  explicit ScratchFile(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

struct FioJob {
  std::string mode;  // fio's rw: randread, write, ...
  int64_t block_bytes = 4096;
  int64_t size_bytes = 0;
  int64_t depth = 1;   // requests in flight for each job
  int64_t jobs = 1;    // each works on its own part of the file
  double seconds = 0;  // 0: once over the file
  bool direct = true;
};
std::vector<std::string> fio_arguments(const FioJob& job, const std::string& path);

// not_found when there is no fio; unavailable when it did not end within `max_seconds`.
Result<FioOutcome> run_fio(const FioJob& job, const ScratchFile& file, double max_seconds);

}  // namespace auscult::bench
