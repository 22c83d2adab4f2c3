// The kernel's log, record by record, from /dev/kmsg.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/result.h"
#include "model/log_record.h"

namespace auscult::logs {

struct KernelMessage {
  int priority = 0;  // 0 emergency .. 7 debug
  int facility = 0;  // 0 the kernel itself
  uint64_t sequence = 0;
  int64_t boot_us = 0;  // on the kernel's monotonic clock
  std::string text;
  model::Labels fields;  // SUBSYSTEM, DEVICE: the continuation lines
};

// "6,339,5140900,-;text\n SUBSYSTEM=pci\n", as Documentation/ABI/testing/dev-kmsg has it. Nothing
// when it is no such record.
std::optional<KernelMessage> parse_kmsg(std::string_view record);

// Where a reader stands; the sequence counts within one boot.
struct KernelLogPosition {
  std::string boot_id;
  uint64_t next_sequence = 0;
  bool operator==(const KernelLogPosition&) const = default;
};
Json to_json(const KernelLogPosition& position);
KernelLogPosition kernel_log_position_from_json(const Json& json);

class KernelLog {
 public:
  // Never waits when it reads. `boot_id` is the content of /proc/sys/kernel/random/boot_id.
  static Result<KernelLog> open(const std::filesystem::path& path, std::string boot_id);
  // From a descriptor that gives one record a read and does not block.
  KernelLog(FileDescriptor file, std::string boot_id);

  // Leaves out the messages that an earlier reader gave out in the same boot.
  void resume(const KernelLogPosition& position);

  // At most `max_records` new messages as records of source "kernel", with wall time.
  model::LogRecords poll(const Clock& clock, size_t max_records);

  KernelLogPosition position() const { return position_; }
  uint64_t lost() const { return lost_; }  // messages overwritten before we read them

 private:
  FileDescriptor file_;
  KernelLogPosition position_;
  bool seen_any_ = false;
  uint64_t lost_ = 0;
};

}  // namespace auscult::logs
