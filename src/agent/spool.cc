#include "agent/spool.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/hash.h"
#include "base/log.h"
#include "base/text.h"

namespace auscult::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "AUSPOOL1";
constexpr std::string_view suffix = ".segment";
// A segment is what is dropped at once: small against the bound, large against a record.
constexpr int64_t min_segment_bytes = 64 << 10;
constexpr int64_t max_segment_bytes = 4 << 20;
constexpr uint32_t max_record_bytes = 64U << 20U;  // what the server takes at most

// In front of every record, in the byte order of the machine: a spool does not travel.
struct RecordHeader {
  uint32_t length = 0;
  uint8_t signal = 0;
  uint8_t gzip = 0;
  std::array<uint8_t, 2> unused{};
  uint64_t checksum = 0;
};
static_assert(sizeof(RecordHeader) == 16);

uint64_t checksum(const RecordHeader& header, std::string_view body) {
  // The header's own bytes are mixed in, so that a zeroed block is no valid empty record.
  return hash64(body) ^ (uint64_t{header.length} * 0x9E3779B97F4A7C15U) ^
         (uint64_t{header.signal} << 8U) ^ header.gzip ^ 0xA5A5A5A5A5A5A5A5U;
}

struct Position {
  uint64_t segment = 0;
  int64_t offset = 0;
  uint64_t check = 0;
};
uint64_t position_check(const Position& position) {
  return hash64({reinterpret_cast<const char*>(&position),  // NOLINT(*-reinterpret-cast)
                 offsetof(Position, check)});
}

bool read_exactly(int fd, void* into, size_t size, int64_t offset) {
  auto* bytes = static_cast<char*>(into);
  while (size > 0) {
    const ssize_t n = ::pread(fd, bytes, size, offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n;
    size -= static_cast<size_t>(n);
    offset += n;
  }
  return true;
}

// The record at the offset, or nothing when it is torn or changed.
std::optional<SpoolRecord> read_record(int fd, int64_t offset) {
  RecordHeader header;
  if (!read_exactly(fd, &header, sizeof header, offset)) return {};
  if (header.length > max_record_bytes) return {};
  const bool known = header.signal == static_cast<uint8_t>(Signal::metrics) ||
                     header.signal == static_cast<uint8_t>(Signal::logs);
  struct stat status {};
  const int64_t end = offset + static_cast<int64_t>(sizeof header) + header.length;
  // A length beyond the file must not cost its memory.
  if (!known || ::fstat(fd, &status) != 0 || status.st_size < end) return {};
  SpoolRecord record = {.signal = static_cast<Signal>(header.signal), .gzip = header.gzip != 0};
  record.body.resize(header.length);
  if (!read_exactly(fd, record.body.data(), header.length,
                    offset + static_cast<int64_t>(sizeof header)) ||
      checksum(header, record.body) != header.checksum) {
    return {};
  }
  return record;
}

int64_t size_on_disk(const SpoolRecord& record) {
  return static_cast<int64_t>(sizeof(RecordHeader) + record.body.size());
}

bool write_record(int fd, const SpoolRecord& record, int64_t offset) {
  RecordHeader header = {.length = static_cast<uint32_t>(record.body.size()),
                         .signal = static_cast<uint8_t>(record.signal),
                         .gzip = static_cast<uint8_t>(record.gzip ? 1 : 0)};
  header.checksum = checksum(header, record.body);
  const auto* begin = reinterpret_cast<const char*>(&header);  // NOLINT(*-reinterpret-cast)
  for (std::string_view rest :
       {std::string_view(begin, sizeof header), std::string_view(record.body)}) {
    while (!rest.empty()) {
      const ssize_t n = ::pwrite(fd, rest.data(), rest.size(), offset);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      rest.remove_prefix(static_cast<size_t>(n));
      offset += n;
    }
  }
  return true;
}

}  // namespace

Spool::Spool(fs::path folder, const Options& options)
    : folder_(std::move(folder)),
      options_(options),
      segment_bytes_(std::clamp(options.max_bytes / 8, min_segment_bytes, max_segment_bytes)) {}

Result<std::unique_ptr<Spool>> Spool::open(const fs::path& folder, const Options& options) {
  TRY(make_folder(folder, 0700));
  std::unique_ptr<Spool> spool(new Spool(folder, options));
  TRY(spool->load());
  return spool;
}

fs::path Spool::path_of(uint64_t number) const {
  std::array<char, 32> name{};
  std::snprintf(name.data(), name.size(), "%016llu", static_cast<unsigned long long>(number));
  return folder_ / (std::string(name.data()) + std::string(suffix));
}

Result<Ok> Spool::load() {
  const auto lock_path = folder_ / "lock";
  lock_ = FileDescriptor(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock_) return errno_error("opening", lock_path);
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error{ErrorCode::invalid_input,
                 "spool " + folder_.string() + " is in use by another auscult-agent"};
  }
  const auto position_path = folder_ / "position";
  position_file_ =
      FileDescriptor(::open(position_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!position_file_) return errno_error("opening", position_path);
  Position position;
  // Torn or absent: begin with the oldest. The server knows a batch that it has had.
  if (!read_exactly(position_file_.get(), &position, sizeof position, 0) ||
      position.check != position_check(position)) {
    position = {};
  }
  next_number_ = position.segment + 1;
  for (const auto& name : list_folder(folder_)) {
    if (!name.ends_with(suffix)) continue;
    const auto number = to_uint(std::string_view(name).substr(0, name.size() - suffix.size()));
    if (!number) continue;
    next_number_ = std::max(next_number_, *number + 1);
    const FileDescriptor file(::open((folder_ / name).c_str(), O_RDONLY | O_CLOEXEC));
    Segment segment = {.number = *number, .bytes = static_cast<int64_t>(magic.size())};
    std::array<char, magic.size()> begin{};
    const bool whole = file && read_exactly(file.get(), begin.data(), begin.size(), 0) &&
                       std::string_view(begin.data(), begin.size()) == magic;
    while (whole) {
      const auto record = read_record(file.get(), segment.bytes);
      if (!record) break;
      const bool sent = *number == position.segment && segment.bytes < position.offset;
      segment.bytes += size_on_disk(*record);
      segment.records += sent ? 0U : 1U;
    }
    if (*number < position.segment || segment.records == 0) {
      ::unlink((folder_ / name).c_str());
      continue;
    }
    bytes_ += segment.bytes;
    segments_.push_back(segment);
  }
  const bool resumed = !segments_.empty() && segments_.front().number == position.segment;
  read_offset_ = resumed ? position.offset : static_cast<int64_t>(magic.size());
  return Ok{};
}

Result<Ok> Spool::begin_segment() {
  const auto path = path_of(next_number_);
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file) return errno_error("creating", path);
  if (::pwrite(file.get(), magic.data(), magic.size(), 0) != static_cast<ssize_t>(magic.size())) {
    auto error = errno_error("writing", path);
    ::unlink(path.c_str());
    return error;
  }
  writer_ = std::move(file);
  writing_ = true;
  if (segments_.empty()) {
    reader_.reset();
    read_offset_ = static_cast<int64_t>(magic.size());
  }
  segments_.push_back({.number = next_number_++, .bytes = static_cast<int64_t>(magic.size())});
  bytes_ += static_cast<int64_t>(magic.size());
  return Ok{};
}

void Spool::drop_front(bool lost) {
  const auto& segment = segments_.front();
  if (lost) dropped_ += segment.records;
  bytes_ -= segment.bytes;
  ::unlink(path_of(segment.number).c_str());
  if (segments_.size() == 1) {
    writing_ = false;
    writer_.reset();
  }
  segments_.pop_front();
  reader_.reset();
  read_offset_ = static_cast<int64_t>(magic.size());
}

Result<Ok> Spool::append(const SpoolRecord& record) {
  const std::lock_guard lock(mutex_);
  const int64_t size = size_on_disk(record);
  if (record.body.size() > max_record_bytes || size > options_.max_bytes) {
    ++dropped_;
    return Error{ErrorCode::unavailable,
                 "a batch of " + std::to_string(size) + " bytes is larger than the spool's bound"};
  }
  while (!segments_.empty() && bytes_ + size > options_.max_bytes) drop_front(true);
  if (!writing_ || segments_.back().bytes >= segment_bytes_) {
    if (auto begun = begin_segment(); !begun) {
      ++dropped_;
      return begun;
    }
  }
  auto& segment = segments_.back();
  if (!write_record(writer_.get(), record, segment.bytes)) {
    auto error = errno_error("writing", path_of(segment.number));
    ++dropped_;
    // What was written of it must not stand between whole records. If even that fails the segment
    // ends here.
    if (::ftruncate(writer_.get(), segment.bytes) != 0) writing_ = false;
    return error;
  }
  segment.bytes += size;
  ++segment.records;
  bytes_ += size;
  return Ok{};
}

std::optional<Spool::Waiting> Spool::front() {
  const std::lock_guard lock(mutex_);
  while (!segments_.empty()) {
    auto& segment = segments_.front();
    const bool last = segments_.size() == 1;
    if (read_offset_ >= segment.bytes) {
      // All of it is sent. The last one is kept for what comes, until it has its size.
      if (last && writing_ && segment.bytes < segment_bytes_) return {};
      drop_front(false);
      continue;
    }
    if (!reader_) {
      reader_ = FileDescriptor(::open(path_of(segment.number).c_str(), O_RDONLY | O_CLOEXEC));
    }
    auto record = reader_ ? read_record(reader_.get(), read_offset_) : std::nullopt;
    if (!record) {
      log_warning("spool: " + path_of(segment.number).string() +
                  " was damaged: " + std::to_string(segment.records) + " batches are lost");
      drop_front(true);
      continue;
    }
    const int64_t end = read_offset_ + size_on_disk(*record);
    return Waiting{.record = *std::move(record), .segment = segment.number, .end = end};
  }
  return {};
}

void Spool::pop(const Waiting& waiting) {
  const std::lock_guard lock(mutex_);
  // It may have been dropped to make room while it was being sent.
  if (segments_.empty() || segments_.front().number != waiting.segment) return;
  if (waiting.end <= read_offset_) return;
  read_offset_ = waiting.end;
  --segments_.front().records;
  save_position();
}

void Spool::save_position() {
  Position position = {.segment = segments_.front().number, .offset = read_offset_};
  position.check = position_check(position);
  // A position that cannot be saved costs sending a batch twice after a restart.
  if (::pwrite(position_file_.get(), &position, sizeof position, 0) !=
      static_cast<ssize_t>(sizeof position)) {
    log_warning("spool: " + (folder_ / "position").string() + ": " + std::strerror(errno));
  }
}

SpoolStats Spool::stats() const {
  const std::lock_guard lock(mutex_);
  SpoolStats stats = {.bytes = bytes_, .dropped_batches = dropped_};
  for (const auto& segment : segments_) stats.records += segment.records;
  return stats;
}

}  // namespace auscult::agent
