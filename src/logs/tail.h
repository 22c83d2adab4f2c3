// Tail: follows one log file through everything that happens to log files.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/json.h"

namespace auscult::logs {

struct TailOptions {
  size_t max_line_bytes = 64U << 10U;  // a longer line comes in pieces of this size
  std::chrono::nanoseconds partial_wait = std::chrono::seconds(1);  // for a line's newline
  size_t max_poll_bytes = 1U << 20U;  // what one poll reads at most; the rest waits for the next
};

// Where a reader stands: the file, by what it is and not by its name, and the offset of the first
// byte that was not yet given out.
struct TailPosition {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t offset = 0;
  // Hash of the first `head_bytes` of the file: tells a file that was cut and filled again, or one
  // that got the number of a deleted one, from the file we read.
  uint64_t head_hash = 0;
  int64_t head_bytes = 0;

  bool operator==(const TailPosition&) const = default;
};

Json to_json(const TailPosition& position);
TailPosition tail_position_from_json(const Json& json);

class Tail {
 public:
  enum class Start : uint8_t { end, beginning };  // of a file that is there at the first poll

  // A file that appears later is read from its beginning.
  Tail(std::filesystem::path path, Start start, const TailOptions& options = {});

  // Continues where an earlier reader stood: also when the file was renamed since, as long as it
  // lies in the same folder under a name that begins with the old one.
  void resume(const TailPosition& position);

  // The lines that were completed, without newlines, in order. Rotation by rename and by
  // copy-and-truncate loses nothing that was written before the file was cut. `now` is monotonic.
  std::vector<std::string> poll(std::chrono::nanoseconds now);

  const std::filesystem::path& path() const { return path_; }

  // After the last byte given out: what to keep for a restart.
  TailPosition position() const;

 private:
  bool open_next(bool first);
  bool adopt(FileDescriptor file, int64_t offset);
  void forget();
  void read_more(size_t& budget, std::vector<std::string>& lines, std::chrono::nanoseconds now);
  void flush_partial(std::vector<std::string>& lines);
  void restart_if_cut(std::vector<std::string>& lines);
  bool head_matches() const;
  void remember_head();

  std::filesystem::path path_;
  Start start_;
  TailOptions options_;
  bool polled_ = false;
  FileDescriptor file_;
  TailPosition at_;      // offset: of the next unread byte
  std::string partial_;  // read, and not yet given out
  std::chrono::nanoseconds partial_since_{0};
  bool has_resume_ = false;
  TailPosition resume_;
};

}  // namespace auscult::logs
