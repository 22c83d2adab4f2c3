// The command line of auscult-agent.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/config.h"
#include "base/result.h"

namespace auscult::agent {

extern const std::string_view usage;  // every option that parse_arguments() knows

struct Arguments {
  AgentConfig config;
  bool once = false;  // one collection to standard output, then the end
  bool version = false;
  bool help = false;
};

// Reads the file that --config names, and puts the other flags over it, in whatever order they
// stand. `host_name` is the node_id unless one is given; with --once only given tags are set.
// invalid_input: an unknown flag (with the one that was meant), a missing or wrong value, or what
// read_config() and check_config() refuse.
Result<Arguments> parse_arguments(const std::vector<std::string>& arguments,
                                  const std::string& host_name);

}  // namespace auscult::agent
