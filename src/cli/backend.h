// Backend: answers API requests, from a server over HTTP or from the store in a folder.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/options.h"
#include "net/http.h"

namespace auscult::cli {

class Backend {
 public:
  virtual ~Backend() = default;

  // The body of a 200, else the error that the answer carries.
  Result<std::string> get(const std::string& path, const net::Headers& query = {});
  Result<std::string> post(const std::string& path, const Json& body);
  Result<Json> get_json(const std::string& path, const net::Headers& query = {});
  Result<Json> post_json(const std::string& path, const Json& body);

 protected:
  virtual Result<net::Response> send(net::Request request) = 0;

 private:
  Result<std::string> answer(net::Request request);
};

struct BackendOptions {
  std::string server;  // URL of the API; wins
  std::string data;    // folder: the server that runs on it, else its store, opened here
  // Files. The token of the environment stands behind that of the file.
  std::string token;
  std::string ca;
  std::string certificate;
  std::string key;

  // --server, --data and the files.
  void declare(Options& options);
};

Result<std::unique_ptr<Backend>> open_backend(const BackendOptions& options,
                                              const Environment& environment);

}  // namespace auscult::cli
