// Spool: requests on disk that wait for the server, in order, bounded in size.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace auscult::agent {

enum class Signal : uint8_t { metrics = 1, logs = 2 };

// The body of one request, byte for byte as it is to be sent, however often.
struct SpoolRecord {
  Signal signal = Signal::metrics;
  bool gzip = false;
  std::string body;
};

struct SpoolStats {
  int64_t bytes = 0;             // on disk, what is sent already but not yet deleted included
  uint64_t records = 0;          // waiting
  uint64_t dropped_batches = 0;  // to stay within the bound, or because the disk was full
};

// Append-only segment files; every record with its length and checksum, so that a torn tail (the
// agent was killed while writing) is noticed and left out. Survives SIGKILL; a power cut may cost
// what the kernel had not written yet. Thread-safe.
class Spool {
 public:
  struct Options {
    int64_t max_bytes = int64_t{256} << 20U;
  };

  // invalid_input: the folder cannot be made or written, or another agent uses it.
  static Result<std::unique_ptr<Spool>> open(const std::filesystem::path& folder,
                                             const Options& options);

  // At the end. To make room the oldest segment is dropped, and its waiting records are counted.
  // unavailable: the record could not be written (disk full); it is counted and lost.
  Result<Ok> append(const SpoolRecord& record);

  // The oldest record that waits. It stays until pop() is called for it.
  struct Waiting {
    SpoolRecord record;
    uint64_t segment = 0;
    int64_t end = 0;
  };
  std::optional<Waiting> front();
  void pop(const Waiting& waiting);

  SpoolStats stats() const;

 private:
  struct Segment {
    uint64_t number = 0;
    int64_t bytes = 0;
    uint64_t records = 0;  // waiting
  };

  Spool(std::filesystem::path folder, const Options& options);
  std::filesystem::path path_of(uint64_t number) const;
  Result<Ok> load();
  Result<Ok> begin_segment();
  void drop_front(bool lost);
  void save_position();

  const std::filesystem::path folder_;
  const Options options_;
  const int64_t segment_bytes_;

  mutable std::mutex mutex_;  // guards everything below
  FileDescriptor lock_;
  FileDescriptor position_file_;
  FileDescriptor writer_;         // of segments_.back(), while `writing_`
  FileDescriptor reader_;         // of segments_.front(), opened when first read
  std::deque<Segment> segments_;  // by number
  bool writing_ = false;          // segments_.back() takes more
  int64_t read_offset_ = 0;       // in segments_.front()
  uint64_t next_number_ = 1;
  int64_t bytes_ = 0;
  uint64_t dropped_ = 0;
};

}  // namespace auscult::agent
