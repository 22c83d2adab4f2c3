// LogReader: the configured log files and the kernel's log as records, from where it last stood.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/config.h"
#include "base/clock.h"
#include "logs/kmsg.h"
#include "logs/tail.h"
#include "model/log_record.h"

namespace auscult::agent {

class LogReader {
 public:
  // `positions` is a file of the reader's own; what it says of a log decides where reading goes on.
  // A log that is new to it is followed from its end. A log that cannot be read now is tried again
  // at every poll, except the kernel's, which is given up with one line in the agent's log.
  LogReader(const AgentConfig& config, std::filesystem::path positions, const Clock& clock);

  // What was logged since, bounded for each log; empty when nothing was.
  model::LogRecords poll();

  // What was polled is safe now: a restart goes on after it. Until then a restart reads it again.
  Result<Ok> commit();

  uint64_t lost_kernel_messages() const { return kernel_ ? kernel_->lost() : 0; }

 private:
  struct Followed {
    logs::Tail tail;
    std::string source;
  };
  void open_kernel_log(const AgentConfig& config, const Json& kept);
  void follow(const std::filesystem::path& path, const std::string& source, const Json& kept);
  Json positions() const;

  const std::filesystem::path positions_path_;
  const Clock& clock_;
  const model::Tags tags_;
  std::vector<Followed> followed_;
  std::optional<logs::KernelLog> kernel_;
  std::string committed_;
};

}  // namespace auscult::agent
