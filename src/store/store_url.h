// The address of a ClickHouse server or cluster, as a person writes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace auscult::store {

struct StoreUrl {
  std::vector<std::string> endpoints;  // "http://host:8123", tried in this order
  std::string path = "/";              // of the HTTP interface
  std::string user = "default";
  std::string cluster;  // for ON CLUSTER; empty: one server, or replicas that copy DDL themselves
};

// "http://user@host:8123,host2:8123/path?cluster=name": user, further hosts, path and cluster may
// be missing, a port is 8123 where it is not given. invalid_input: no such address, a password in
// it (other users see a command line), or https as long as net/client.h has no TLS.
Result<StoreUrl> parse_store_url(std::string_view text);

}  // namespace auscult::store
