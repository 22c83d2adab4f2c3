#include "logs/tail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/hash.h"

namespace auscult::logs {
namespace {

namespace fs = std::filesystem;

constexpr int64_t max_head_bytes = 256;
constexpr size_t read_step = 64U << 10U;

struct Identity {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t size = 0;
};

Identity identity(const struct stat& status) {
  return {.device = static_cast<uint64_t>(status.st_dev),
          .inode = static_cast<uint64_t>(status.st_ino),
          .size = static_cast<int64_t>(status.st_size)};
}

FileDescriptor open_for_reading(const fs::path& path) {
  // O_NONBLOCK: a FIFO in the place of a log file must not stop the agent.
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

uint64_t hash_head(int fd, int64_t bytes) {
  std::array<char, max_head_bytes> head{};
  const ssize_t n = ::pread(fd, head.data(), static_cast<size_t>(bytes), 0);
  return hash64({head.data(), static_cast<size_t>(std::max<ssize_t>(n, 0))});
}

}  // namespace

Json to_json(const TailPosition& position) {
  Json json;
  json.set("device", position.device);
  json.set("inode", position.inode);
  json.set("offset", position.offset);
  json.set("head_hash", std::to_string(position.head_hash));
  json.set("head_bytes", position.head_bytes);
  return json;
}

TailPosition tail_position_from_json(const Json& json) {
  return {.device = static_cast<uint64_t>(json["device"].int_or(0)),
          .inode = static_cast<uint64_t>(json["inode"].int_or(0)),
          .offset = std::max<int64_t>(json["offset"].int_or(0), 0),
          .head_hash = std::strtoull(json["head_hash"].string_or("0").c_str(), nullptr, 10),
          .head_bytes = std::clamp<int64_t>(json["head_bytes"].int_or(0), 0, max_head_bytes)};
}

Tail::Tail(fs::path path, Start start, const TailOptions& options)
    : path_(std::move(path)), start_(start), options_(options) {}

void Tail::resume(const TailPosition& position) {
  forget();
  resume_ = position;
  has_resume_ = position.inode != 0;
  // It stood nowhere because there was no file: whatever is there now came later.
  if (!has_resume_) start_ = Start::beginning;
}

TailPosition Tail::position() const {
  if (!file_) return has_resume_ ? resume_ : TailPosition{};
  auto position = at_;
  position.offset -= static_cast<int64_t>(partial_.size());
  return position;
}

std::vector<std::string> Tail::poll(std::chrono::nanoseconds now) {
  std::vector<std::string> lines;
  const bool first = !polled_;
  polled_ = true;
  if (!file_ && !open_next(first)) return lines;
  size_t budget = options_.max_poll_bytes;
  while (budget > 0) {
    restart_if_cut(lines);
    read_more(budget, lines, now);
    if (budget == 0) break;
    struct stat status {};
    const bool exists = ::stat(path_.c_str(), &status) == 0;
    const auto there = exists ? identity(status) : Identity{};
    if (exists && there.device == at_.device && there.inode == at_.inode) break;
    // Renamed or deleted. The writer may have written between our last read and the renaming.
    read_more(budget, lines, now);
    if (!exists || budget == 0) break;
    flush_partial(lines);
    forget();
    if (!open_next(false)) break;
  }
  if (!partial_.empty() && now - partial_since_ >= options_.partial_wait) flush_partial(lines);
  return lines;
}

bool Tail::open_next(bool first) {
  if (has_resume_) {
    has_resume_ = false;
    // Under its own name first, then under a name that rotation gave it: "log.1", "log-20261201".
    const fs::path folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
    std::vector<fs::path> candidates = {path_};
    for (const auto& name : list_folder(folder)) {
      if (name != path_.filename() && name.starts_with(path_.filename().string())) {
        candidates.push_back(folder / name);
      }
    }
    for (const auto& candidate : candidates) {
      struct stat status {};
      if (::stat(candidate.c_str(), &status) != 0) continue;
      if (identity(status).inode != resume_.inode || identity(status).device != resume_.device) {
        continue;
      }
      if (!adopt(open_for_reading(candidate), resume_.offset)) continue;
      at_.head_hash = resume_.head_hash;
      at_.head_bytes = resume_.head_bytes;
      if (at_.offset <= identity(status).size && head_matches()) return true;
      forget();
    }
    // It is gone: what stands under the name now is new to us.
    return adopt(open_for_reading(path_), 0);
  }
  auto file = open_for_reading(path_);
  if (!file) return false;
  const bool from_end = first && start_ == Start::end;
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return false;
  return adopt(std::move(file), from_end ? identity(status).size : 0);
}

bool Tail::adopt(FileDescriptor file, int64_t offset) {
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  file_ = std::move(file);
  at_ = {.device = identity(status).device, .inode = identity(status).inode, .offset = offset};
  partial_.clear();
  remember_head();
  return true;
}

void Tail::forget() {
  file_.reset();
  at_ = {};
  partial_.clear();
}

void Tail::remember_head() {
  const int64_t bytes = std::min(at_.offset, max_head_bytes);
  if (bytes <= at_.head_bytes) return;
  at_.head_bytes = bytes;
  at_.head_hash = hash_head(file_.get(), bytes);
}

bool Tail::head_matches() const {
  return at_.head_bytes == 0 || hash_head(file_.get(), at_.head_bytes) == at_.head_hash;
}

// copytruncate: the same file, shorter than what we read of it, or filled again from the start.
void Tail::restart_if_cut(std::vector<std::string>& lines) {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) return;
  const int64_t size = identity(status).size;
  if (size >= at_.offset && (size == at_.offset || head_matches())) return;
  flush_partial(lines);
  at_.offset = 0;
  at_.head_bytes = 0;
  at_.head_hash = 0;
}

void Tail::read_more(size_t& budget, std::vector<std::string>& lines,
                     std::chrono::nanoseconds now) {
  while (budget > 0) {
    const size_t old = partial_.size();
    const size_t step = std::min(read_step, budget);
    partial_.resize(old + step);
    const ssize_t n = ::pread(file_.get(), partial_.data() + old, step, at_.offset);
    partial_.resize(old + static_cast<size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    at_.offset += n;
    budget -= static_cast<size_t>(n);
    partial_since_ = now;
    remember_head();
    size_t begin = 0;
    while (begin < partial_.size()) {
      auto end = partial_.find('\n', begin);
      const bool complete = end != std::string::npos;
      if (!complete) end = partial_.size();
      if (!complete && end - begin < options_.max_line_bytes) break;
      const size_t length = std::min(end - begin, options_.max_line_bytes);
      std::string line = partial_.substr(begin, length);
      begin += length;
      if (complete && begin == end) {
        ++begin;  // the newline
        if (!line.empty() && line.back() == '\r') line.pop_back();
      }
      lines.push_back(std::move(line));
    }
    partial_.erase(0, begin);
  }
}

void Tail::flush_partial(std::vector<std::string>& lines) {
  if (!partial_.empty()) lines.push_back(std::move(partial_));
  partial_.clear();
}

}  // namespace auscult::logs
