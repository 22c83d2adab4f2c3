// Agent: collectors, log tails, spool, sender and actions in one process.
#pragma once

#include <memory>

#include "agent/config.h"
#include "base/clock.h"
#include "base/result.h"

namespace auscult::agent {

// Runs from start() to its destructor, which stops every thread; what was not sent stays in the
// spool for the next start.
class Agent {
 public:
  // unavailable: the spool cannot be used. A server that cannot be reached is no error.
  static Result<std::unique_ptr<Agent>> start(const AgentConfig& config, const Clock& clock);
  virtual ~Agent() = default;
};

}  // namespace auscult::agent
