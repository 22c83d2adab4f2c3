#include "serve/server.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "base/file.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/text.h"
#include "base/yaml.h"
#include "grpc/front.h"
#include "net/client.h"
#include "net/server.h"
#include "serve/alerting.h"
#include "serve/ingest.h"
#include "serve/lanes.h"
#include "serve/otlp_grpc.h"
#include "serve/otlp_http.h"
#include "serve/request_guard.h"
#include "serve/route.h"
#include "serve/scraper.h"
#include "serve/self_metrics.h"
#include "serve/sync_service.h"

namespace auscult::serve {
namespace {

constexpr auto watch_period = std::chrono::seconds(2);
constexpr auto expire_period = std::chrono::milliseconds(250);
constexpr auto reload_period = std::chrono::seconds(10);  // for tokens and certificates

int64_t as_int(size_t value) { return static_cast<int64_t>(value); }

bool is_loopback(const std::string& address) {
  return address == "::1" || address.starts_with("127.");
}

void log_change(const net::Request& request, const std::string& caller) {
  std::string path = request.path;
  // A line break would begin a line that nobody wrote.
  std::replace_if(
      path.begin(), path.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
  log_info("audit: " + (caller.empty() ? "somebody" : caller) + " from " + request.remote + ": " +
           request.method + " " + path);
}

// The password stands in a file or in the environment, where other users do not see it.
Result<std::optional<store::HttpEngineOptions>> remote_store(const ServeOptions& options) {
  if (options.store.empty()) return std::optional<store::HttpEngineOptions>();
  store::HttpEngineOptions remote{.url = TRY(store::parse_store_url(options.store)),
                                  .password = options.store_password};
  if (remote.password.empty() && !options.store_password_file.empty()) {
    remote.password = trim(TRY(read_file(options.store_password_file)));
  }
  return std::optional(std::move(remote));
}

// Another program may have the pid and the port of a server that was killed, even a server on
// another folder: only the one that has the key of this folder is this folder's.
bool serves(const ServerAddress& address, const std::filesystem::path& data) {
  // Here nobody knows whom to trust: who asks it then will.
  if (address.tls) return true;
  constexpr std::chrono::seconds patience{5};
  const auto key = read_file(data / "signing.pub");
  auto client = net::HttpClient::create(url_of(address));
  if (!key || !client) return false;
  const auto response = client->request("GET", "/api/auscult/v1/server", {}, "", patience);
  if (!response || response->status != 200) return false;
  const auto json = Json::parse(response->body);
  return json && !trim(*key).empty() && (*json)["public_key"].string_or("") == trim(*key);
}

class RunningServer : public Server {
 public:
  static Result<std::unique_ptr<Server>> create(const ServeOptions& given, const Clock& clock);
  ~RunningServer() override;
  ServerAddress address() const override { return address_; }
  std::string public_key_base64() const override { return broker_.public_key_base64(); }

 private:
  RunningServer(const ServeOptions& options, const Clock& clock,
                std::unique_ptr<store::Store> store, actions::SigningKey key,
                std::vector<diagnose::Fault> faults, std::unique_ptr<Locks> locks,
                std::unique_ptr<redact::Redactor> redactor);
  Result<Ok> listen();
  Result<std::unique_ptr<grpc::Front>> listen_grpc(uint16_t port);
  Result<Ok> announce();
  void reload_locks();
  std::optional<net::Response> admit_api(net::Request& request) const;
  template <typename T>
  void set(std::unique_ptr<T>& server, std::unique_ptr<T> value);
  void handle_api(net::Request request, const net::Reply& reply);

  ServeOptions options_;
  std::unique_ptr<Locks> locks_;
  GuardRules guard_;
  std::unique_ptr<store::Store> store_;
  Broker broker_;
  alert::Watch watch_;
  diagnose::EngineOptions engine_;
  Context context_;
  Router router_;
  ServerAddress address_;
  std::unique_ptr<redact::Redactor> redactor_;  // null: nothing is redacted
  std::unique_ptr<Ingest> ingest_;
  std::unique_ptr<Lanes> lanes_;
  std::unique_ptr<Alerting> alerting_;
  std::mutex servers_mutex_;  // /metrics asks all of them, also while they start and stop
  std::unique_ptr<net::HttpServer> otlp_;
  std::unique_ptr<net::HttpServer> http_;
  std::unique_ptr<grpc::Front> grpc_;
  std::unique_ptr<Scraper> scraper_;
  std::unique_ptr<SyncService> sync_;
  std::unique_ptr<Loop> watch_loop_;
  std::unique_ptr<Loop> expire_loop_;
  std::unique_ptr<Loop> reload_loop_;
};

RunningServer::RunningServer(const ServeOptions& options, const Clock& clock,
                             std::unique_ptr<store::Store> store, actions::SigningKey key,
                             std::vector<diagnose::Fault> faults, std::unique_ptr<Locks> locks,
                             std::unique_ptr<redact::Redactor> redactor)
    : options_(options),
      locks_(std::move(locks)),
      guard_{.names = options.names,
             .any_name = !is_loopback(options.address) && options.names.empty(),
             .https = locks_->has_tls()},
      store_(std::move(store)),
      broker_(std::move(key), clock),
      watch_(*store_),
      engine_{.faults = std::move(faults),
              .channel = {},
              .program = options.program,
              .data_folder = options.data.string(),
              .progress = {},
              .disturbs = {}},
      context_{*store_, clock, engine_, &watch_, &broker_},
      redactor_(std::move(redactor)) {
  if (options_.experiments) {
    engine_.channel = [this](const actions::ActionRequest& request) {
      return broker_.perform(request);
    };
  }
  ingest_ = std::make_unique<Ingest>(*store_, clock, redactor_.get());
  context_.ingest = ingest_.get();
  lanes_ = std::make_unique<Lanes>();
  alerting_ = std::make_unique<Alerting>(*store_, clock, watch_, engine_);
}

std::optional<net::Response> RunningServer::admit_api(net::Request& request) const {
  if (const auto why = why_refused(request, guard_)) {
    return net::json_response(403, Json(Json::Object{{"error", *why}}).dump());
  }
  const auto* endpoint = router_.match(request.method, request.path).endpoint;
  const Role needed = endpoint != nullptr          ? endpoint->role
                      : request.path == "/metrics" ? Role::read
                                                   : Role::open;  // there is nothing to see
  auto admission = locks_->access()->admit(net::header(request.headers, "Authorization"), needed);
  if (!admission.admitted) return denial(admission);
  if (needed == Role::operate || needed == Role::admin) log_change(request, admission.caller);
  request.caller = std::move(admission.caller);
  return {};
}

void RunningServer::handle_api(net::Request request, const net::Reply& reply) {
  if (request.path == "/metrics") {
    std::string text;
    {
      const std::lock_guard lock(servers_mutex_);
      text = self_metrics({.store = *store_,
                           .ingest = ingest_->stats(),
                           .redactor = redactor_.get(),
                           .otlp = otlp_.get(),
                           .http = http_.get(),
                           .grpc = grpc_.get(),
                           .scrape = scraper_ ? &scraper_->stats() : nullptr,
                           .sync = sync_ ? sync_->states() : std::vector<SyncState>()});
    }
    reply(net::text_response(200, std::move(text)));
    return;
  }
  const Match match = router_.match(request.method, request.path);
  if (match.endpoint != nullptr && match.endpoint->later != nullptr) {
    match.endpoint->later(std::move(request), match.path, context_, reply);
    return;
  }
  auto work = [this, request = std::move(request), reply] {
    reply(answer_now(router_, request, context_));
  };
  const Lane lane = match.endpoint == nullptr ? Lane::io : match.endpoint->lane;
  if (!lanes_->submit(lane, std::move(work))) {
    reply(
        error_response({ErrorCode::unavailable, "too many requests of this kind at once: retry"}));
  }
}

// Destroys the old value outside of the lock: it joins a thread that may be waiting for it.
template <typename T>
void RunningServer::set(std::unique_ptr<T>& server, std::unique_ptr<T> value) {
  const std::lock_guard lock(servers_mutex_);
  server.swap(value);
}

Result<std::unique_ptr<grpc::Front>> RunningServer::listen_grpc(uint16_t port) {
  return grpc::Front::start({.address = options_.address, .port = port, .tls = locks_->grpc_tls()},
                            [this](grpc::Call call, grpc::Reply reply) {
                              if (auto denial = grpc_denial(call, *locks_->access())) {
                                return reply(*std::move(denial));
                              }
                              handle_grpc(std::move(call), std::move(reply), *ingest_);
                            });
}

Result<Ok> RunningServer::listen() {
  auto otlp = TRY(net::HttpServer::start(
      {.address = options_.address,
       .port = options_.otlp_port,
       .admit =
           [this](const net::Request& request) { return otlp_denial(request, *locks_->access()); },
       .tls = locks_->tls()},
      [this](net::Request request, const net::Reply& reply) {
        handle_otlp(std::move(request), reply, *ingest_);
      }));
  set(otlp_, std::move(otlp));
  set(grpc_, TRY(listen_grpc(options_.grpc_port)));
  auto http = TRY(
      net::HttpServer::start({.address = options_.address,
                              .port = options_.http_port,
                              .admit = [this](net::Request& request) { return admit_api(request); },
                              .tls = locks_->tls()},
                             [this](net::Request request, const net::Reply& reply) {
                               handle_api(std::move(request), reply);
                             }));
  set(http_, std::move(http));
  address_ = {.pid = ::getpid(),
              .address = options_.address,
              .tls = locks_->has_tls(),
              .otlp_port = otlp_->port(),
              .grpc_port = grpc_->port(),
              .http_port = http_->port()};
  if (!options_.scrape.empty()) {
    set(scraper_, std::make_unique<Scraper>(options_.scrape, *store_, context_.clock));
  }
  if (!options_.sync.empty()) {
    auto sync = TRY(SyncService::start(options_.sync, *store_, context_.clock));
    set(sync_, std::move(sync));
  }
  watch_loop_ = std::make_unique<Loop>("watch", watch_period,
                                       [this](const std::stop_token&) { alerting_->step(); });
  expire_loop_ = std::make_unique<Loop>("expire", expire_period,
                                        [this](const std::stop_token&) { broker_.expire(); });
  reload_loop_ = std::make_unique<Loop>("reload", reload_period,
                                        [this](const std::stop_token&) { reload_locks(); });
  return announce();
}

Result<Ok> RunningServer::announce() {
  Json self{Json::Object{}};
  self.set("pid", address_.pid)
      .set("address", address_.address)
      .set("tls", address_.tls)
      .set("otlp_port", static_cast<int64_t>(address_.otlp_port))
      .set("grpc_port", static_cast<int64_t>(address_.grpc_port))
      .set("http_port", static_cast<int64_t>(address_.http_port));
  return write_file(options_.data / "server.json", self.dump(2) + "\n");
}

void RunningServer::reload_locks() {
  if (grpc_ != nullptr && !locks_->reload()) return;
  otlp_->set_tls(locks_->tls());
  http_->set_tls(locks_->tls());
  // gRPC takes a certificate only when it starts; its clients try again what this interrupts.
  set(grpc_, {});
  auto grpc = listen_grpc(address_.grpc_port);
  if (grpc) return set(grpc_, *std::move(grpc));
  log_error("OTLP/gRPC does not listen until the next try: " + grpc.error().message);
}

Result<std::unique_ptr<Server>> RunningServer::create(const ServeOptions& given,
                                                      const Clock& clock) {
  ServeOptions options = given;
  // A name would need a resolver, which may answer anything; this one has a fixed meaning.
  if (options.address == "localhost") options.address = "127.0.0.1";
  auto locks = TRY(Locks::open(options.locks));
  if (!locks->asks() && !locks->has_tls() && !is_loopback(options.address)) {
    return Error{ErrorCode::invalid_input,
                 "listening on " + options.address +
                     " is refused: beyond loopback set 'tokens' or 'tls' in the configuration "
                     "(auscult token new --help)"};
  }
  const bool asks = locks->asks();
  std::unique_ptr<redact::Redactor> redactor;
  if (options.redact) redactor = TRY(redact::Redactor::create(redact::patterns()));
  auto faults = TRY(diagnose::load_faults(options.faults));
  TRY(make_folder(options.data, 0750));
  auto remote = TRY(remote_store(options));
  auto store = TRY(
      store::Store::open({.engine = {.data = options.data / "store", .library = options.library},
                          .remote = std::move(remote),
                          .catalog = options.series,
                          .writer = {}},
                         clock));
  auto key = TRY(actions::SigningKey::load_or_create(options.data / "signing.key"));
  TRY(write_file(options.data / "signing.pub", key.public_key_base64() + "\n"));
  std::unique_ptr<RunningServer> server(new RunningServer(options, clock, std::move(store),
                                                          std::move(key), std::move(faults),
                                                          std::move(locks), std::move(redactor)));
  TRY(server->listen());
  if (!asks) {
    log_warning("no tokens are set: whoever reaches " + options.address + " may do everything");
  }
  return std::unique_ptr<Server>(std::move(server));
}

RunningServer::~RunningServer() {
  // From the outside in: no new alerts, no waiting actions, no requests, then what was begun ends.
  reload_loop_.reset();
  watch_loop_.reset();
  broker_.stop();
  set(scraper_, {});
  set(sync_, {});
  set(otlp_, {});
  set(grpc_, {});
  set(http_, {});
  alerting_.reset();
  expire_loop_.reset();
  lanes_.reset();
  ingest_.reset();
  ::unlink((options_.data / "server.json").c_str());
}

}  // namespace

Result<Ok> read_serve_options(const std::filesystem::path& file, ServeOptions& options) {
  const Yaml root = TRY(read_yaml(file));
  YamlReader reader(root);
  options.data = reader.text("data", options.data.string());
  options.library = reader.text("libchdb", options.library.string());
  options.store = reader.text("store", options.store);
  options.store_password_file =
      reader.text("store_password_file", options.store_password_file.string());
  options.faults = reader.text("faults", options.faults.string());
  options.address = reader.text("address", options.address);
  options.names = reader.texts("names");
  const Yaml* tokens = reader.node("tokens");
  const Yaml* tls = reader.node("tls");
  const int64_t otlp_port = reader.integer("otlp_port", options.otlp_port);
  const int64_t grpc_port = reader.integer("grpc_port", options.grpc_port);
  const int64_t http_port = reader.integer("http_port", options.http_port);
  const int64_t max_series = reader.integer("max_series", as_int(options.series.max_series));
  const int64_t max_of_metric =
      reader.integer("max_series_per_metric", as_int(options.series.max_series_per_metric));
  options.redact = reader.boolean("redact", options.redact);
  options.experiments = reader.boolean("experiments", options.experiments);
  const Yaml* scrape = reader.node("scrape");
  const Yaml* sync = reader.node("sync");
  if (const Yaml* tenant = reader.node("tenant")) {
    return tenant->error("'tenant': tenants are not there yet; take a server for each");
  }
  TRY(reader.finish());
  if (sync != nullptr) options.sync = TRY(parse_sync(*sync));
  if (scrape != nullptr) options.scrape = TRY(parse_scrape_jobs(*scrape, file.parent_path()));
  TRY(read_lock_options(tokens, tls, options.locks));
  if (max_series < 1 || max_of_metric < 1) {
    return root.error("'max_series' and 'max_series_per_metric' must be at least 1");
  }
  options.series.max_series = static_cast<size_t>(max_series);
  options.series.max_series_per_metric = static_cast<size_t>(max_of_metric);
  for (const auto& [key, port] :
       {std::pair{"otlp_port", otlp_port}, {"grpc_port", grpc_port}, {"http_port", http_port}}) {
    if (port < 0 || port > 65535) {
      return root.find(key)->error(std::string("'") + key + "' must lie between 0 and 65535");
    }
  }
  options.otlp_port = static_cast<uint16_t>(otlp_port);
  options.grpc_port = static_cast<uint16_t>(grpc_port);
  options.http_port = static_cast<uint16_t>(http_port);
  return Ok{};
}

Result<ServerAddress> find_server(const std::filesystem::path& data) {
  const std::string text = TRY(read_file(data / "server.json"));
  const Json self = TRY(Json::parse(text));
  const ServerAddress address{.pid = self["pid"].int_or(0),
                              .address = self["address"].string_or("127.0.0.1"),
                              .tls = self["tls"].bool_or(false),
                              .otlp_port = static_cast<uint16_t>(self["otlp_port"].int_or(0)),
                              .grpc_port = static_cast<uint16_t>(self["grpc_port"].int_or(0)),
                              .http_port = static_cast<uint16_t>(self["http_port"].int_or(0))};
  // A server that was killed leaves its file behind.
  const bool lives =
      address.pid > 0 && (::kill(static_cast<pid_t>(address.pid), 0) == 0 || errno != ESRCH);
  if (!lives || !serves(address, data)) {
    return Error{ErrorCode::not_found, "no server runs on " + data.string()};
  }
  return address;
}

std::string url_of(const ServerAddress& address) {
  // In a URL the colons of an IPv6 address stand in brackets (RFC 3986).
  std::string host = address.address;
  if (host == "0.0.0.0") host = "127.0.0.1";  // every address of the host: this one too
  if (host == "::") host = "::1";
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return (address.tls ? "https://" : "http://") + host + ":" + std::to_string(address.http_port);
}

Result<std::unique_ptr<Server>> Server::start(const ServeOptions& options, const Clock& clock) {
  return RunningServer::create(options, clock);
}

}  // namespace auscult::serve
