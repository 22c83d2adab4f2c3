// `auscult serve`: store, ingest, alerting and diagnosis in one process.
#include <filesystem>
#include <ostream>

#include "base/log.h"
#include "base/loop.h"
#include "cli/command.h"
#include "cli/options.h"
#include "serve/server.h"

namespace auscult::cli {
namespace {

Result<Exit> run(const std::vector<std::string>& arguments, Environment& environment) {
  std::string config;
  std::string data;
  std::string store;
  std::string store_password_file;
  std::string faults;
  std::string address;
  int64_t otlp_port = -1;
  int64_t grpc_port = -1;
  int64_t http_port = -1;
  bool no_experiments = false;
  Options options("serve", "Run the server: OTLP in on 4318 (HTTP) and 4317 (gRPC), API on 9494.");
  options.text("--config", config, "YAML file with the settings below")
      .text("--data", data, "folder of the store")
      .text("--store", store,
            "a ClickHouse elsewhere: http://user@host:8123[,host2:8123][?cluster=NAME]; password "
            "in AUSCULT_STORE_PASSWORD")
      .text("--store-password-file", store_password_file, "file with the password of --store")
      .text("--faults", faults, "folder with a fault catalogue of your own")
      .text("--address", address, "address to listen on (loopback)")
      .integer("--otlp-port", otlp_port, "port for OTLP/HTTP; 0 takes a free one")
      .integer("--grpc-port", grpc_port,
               "port for OTLP/gRPC; 0, also where --otlp-port is 0, takes a free one")
      .integer("--http-port", http_port, "port for the API; 0 takes a free one")
      .flag("--no-experiments", no_experiments, "only look, never act on a node (kill switch)");
  if (!TRY(options.parse(arguments, environment.out))) return Exit::ok;

  serve::ServeOptions serve_options{.data = environment.default_data,
                                    .library = environment.library,
                                    .store_password = environment.store_password,
                                    .faults = {},
                                    .program = environment.program};
  if (!config.empty()) TRY(serve::read_serve_options(config, serve_options));
  if (!data.empty()) serve_options.data = data;
  if (!store.empty()) serve_options.store = store;
  if (!store_password_file.empty()) serve_options.store_password_file = store_password_file;
  if (!faults.empty()) serve_options.faults = faults;
  if (!address.empty()) serve_options.address = address;
  if (grpc_port == -1 && otlp_port == 0) grpc_port = 0;
  for (const auto& [port, into] : {std::pair{otlp_port, &serve_options.otlp_port},
                                   {grpc_port, &serve_options.grpc_port},
                                   {http_port, &serve_options.http_port}}) {
    if (port == -1) continue;
    if (port < 0 || port > 65535) {
      return Error{ErrorCode::invalid_input, "a port lies between 0 and 65535"};
    }
    *into = static_cast<uint16_t>(port);
  }
  if (no_experiments) serve_options.experiments = false;
  serve_options.data = std::filesystem::absolute(serve_options.data);

  const auto server = TRY(serve::Server::start(serve_options, environment.clock));
  const auto where = server->address();
  log_info("OTLP/HTTP on " + where.address + ":" + std::to_string(where.otlp_port) +
           ", OTLP/gRPC on " + where.address + ":" + std::to_string(where.grpc_port) + ", API on " +
           where.address + ":" + std::to_string(where.http_port) + ", data in " +
           serve_options.data.string());
  log_info("agents need server_public_key: " + server->public_key_base64());
  while (wait_for_stop_signal(std::chrono::seconds(1)) == 0) {
  }
  log_info("stopping");
  return Exit::ok;
}

}  // namespace

Command serve() { return {.summary = "run the server", .handles_stop_signals = true, .run = run}; }

}  // namespace auscult::cli
