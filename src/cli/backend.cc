#include "cli/backend.h"

#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "net/client.h"
#include "serve/route.h"
#include "serve/server.h"

namespace auscult::cli {
namespace {

constexpr std::string_view api = "/api/auscult/v1";
constexpr std::chrono::minutes diagnosis_patience{15};  // with experiments it takes minutes
constexpr std::chrono::seconds patience{90};            // SQL of a user may take 60 s
constexpr size_t max_answer_bytes = size_t{64} << 20U;
constexpr size_t max_key_file_bytes = size_t{1} << 20U;

Result<std::string> text_of(const std::string& file) {
  if (file.empty()) return std::string();
  return read_file(file, max_key_file_bytes);
}

class RemoteBackend : public Backend {
 public:
  RemoteBackend(net::HttpClient client, const std::string& token)
      : client_(std::move(client)), headers_{{"Content-Type", "application/json"}} {
    if (!token.empty()) headers_.emplace_back("Authorization", "Bearer " + token);
  }

 protected:
  Result<net::Response> send(net::Request request) override {
    std::string target = request.path;
    char separator = '?';
    for (const auto& [name, value] : request.query) {
      target += separator + net::url_encode(name) + "=" + net::url_encode(value);
      separator = '&';
    }
    return client_.request(request.method, target, headers_, request.body,
                           request.path.ends_with("/diagnose") ? diagnosis_patience : patience);
  }

 private:
  net::HttpClient client_;
  net::Headers headers_;
};

class LocalBackend : public Backend {
 public:
  LocalBackend(std::unique_ptr<store::Store> store, diagnose::EngineOptions engine,
               const Clock& clock)
      : store_(std::move(store)), engine_(std::move(engine)), context_{*store_, clock, engine_} {}

 protected:
  Result<net::Response> send(net::Request request) override {
    request.remote = "local";
    return serve::answer_now(router_, request, context_);
  }

 private:
  std::unique_ptr<store::Store> store_;
  diagnose::EngineOptions engine_;
  serve::Context context_;
  serve::Router router_;
};

}  // namespace

Result<std::string> Backend::answer(net::Request request) {
  auto response = TRY(send(std::move(request)));
  if (response.status == 200) return std::move(response.body);
  const auto json = Json::parse(response.body);
  const std::string message = json ? (*json)["error"].string_or(response.body) : response.body;
  // Without the right token: the same call needs another configuration.
  const bool is_usage = response.status == 400 || response.status == 401 ||
                        response.status == 403 || response.status == 405;
  const ErrorCode code = is_usage                 ? ErrorCode::invalid_input
                         : response.status == 404 ? ErrorCode::not_found
                         : response.status == 503 ? ErrorCode::unavailable
                                                  : ErrorCode::internal;
  return Error{code, message.empty() ? "HTTP status " + std::to_string(response.status) : message};
}

Result<std::string> Backend::get(const std::string& path, const net::Headers& query) {
  return answer({.method = "GET",
                 .path = std::string(api) + path,
                 .query = query,
                 .headers = {},
                 .body = {},
                 .remote = {}});
}

Result<std::string> Backend::post(const std::string& path, const Json& body) {
  return answer({.method = "POST",
                 .path = std::string(api) + path,
                 .query = {},
                 .headers = {},
                 .body = body.dump(),
                 .remote = {}});
}

Result<Json> Backend::get_json(const std::string& path, const net::Headers& query) {
  return Json::parse(TRY(get(path, query)));
}

Result<Json> Backend::post_json(const std::string& path, const Json& body) {
  return Json::parse(TRY(post(path, body)));
}

void BackendOptions::declare(Options& options) {
  options.text("--server", server, "URL of a server's API")
      .text("--data", data, "folder of the store")
      .text("--token", token, "file with the token for the server (or AUSCULT_TOKEN: the token)")
      .text("--ca", ca, "PEM file: whom to trust for https, instead of this host's authorities")
      .text("--certificate", certificate, "PEM file: this client's certificate")
      .text("--key", key, "PEM file: its key");
}

Result<std::unique_ptr<Backend>> open_backend(const BackendOptions& options,
                                              const Environment& environment) {
  std::string server = options.server;
  const std::string data = options.data.empty() ? environment.default_data : options.data;
  net::ClientTls files;
  files.ca = TRY(text_of(options.ca));
  files.certificate = TRY(text_of(options.certificate));
  files.key = TRY(text_of(options.key));
  const auto tls = TRY(net::client_context(files));
  if (server.empty()) {
    if (const auto running = serve::find_server(data)) server = serve::url_of(*running);
  }
  if (!server.empty()) {
    const std::string token =
        options.token.empty() ? environment.token : TRY(text_of(options.token));
    return std::unique_ptr<Backend>(std::make_unique<RemoteBackend>(
        TRY(net::HttpClient::create(server, max_answer_bytes, tls)), std::string(trim(token))));
  }
  if (!std::filesystem::is_directory(std::filesystem::path(data) / "store")) {
    return Error{ErrorCode::not_found, "there is no store in " + data +
                                           ": give --data DIR or --server URL, or start "
                                           "'auscult serve --data " +
                                           data + "'"};
  }
  auto store = TRY(store::Store::open(
      {.engine = {.data = std::filesystem::path(data) / "store", .library = environment.library},
       .hot = {.load = false},
       .writer = {}},
      environment.clock));
  diagnose::EngineOptions engine{.faults = TRY(diagnose::load_faults()),
                                 .channel = {},
                                 .program = environment.program,
                                 .data_folder = std::filesystem::absolute(data).string(),
                                 .progress = {},
                                 .disturbs = {}};
  return std::unique_ptr<Backend>(
      std::make_unique<LocalBackend>(std::move(store), std::move(engine), environment.clock));
}

}  // namespace auscult::cli
