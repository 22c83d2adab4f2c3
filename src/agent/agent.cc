#include "agent/agent.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "agent/action_poller.h"
#include "agent/log_reader.h"
#include "agent/self_metrics.h"
#include "agent/sender.h"
#include "agent/spool.h"
#include "base/bounded_queue.h"
#include "base/file.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/text.h"
#include "collect/collector.h"
#include "collect/disk_await.h"
#include "collect/process_metrics.h"
#include "net/client.h"
#include "wire/compression.h"
#include "wire/otlp.h"

namespace auscult::agent {
namespace {

constexpr std::chrono::milliseconds log_period{500};
// A look at every process costs as much as all collectors together, so a short interval does not
// hasten it.
constexpr std::chrono::seconds min_process_period{5};
constexpr std::chrono::milliseconds send_pause{10};     // between one wait for work and the next
constexpr std::chrono::seconds retry_wait{1};           // a batch that failed may be due again
constexpr std::chrono::seconds idle_wait{60};           // every batch ends it
constexpr std::chrono::milliseconds action_pause{100};  // between one long poll and the next
constexpr std::chrono::seconds send_timeout{10};
constexpr size_t max_token_bytes = 4096;  // the server takes no longer one
constexpr size_t max_pem_bytes = size_t{1} << 20U;
constexpr size_t max_log_batch_records = 1000;
constexpr size_t max_log_batch_bytes = 512U << 10U;
// 100 actions with their parameters take some 100 KiB; the whole agent is to stay below 12 MB.
constexpr size_t max_answer_bytes = size_t{1} << 20U;

class Running : public Agent {
 public:
  Running(const AgentConfig& config, const Clock& clock, std::unique_ptr<Spool> spool,
          net::HttpClient server, net::HttpClient control)
      : config_(config),
        clock_(clock),
        spool_(std::move(spool)),
        server_(std::move(server)),
        control_(std::move(control)),
        sender_(
            *spool_,
            [this](const std::string& target, const net::Headers& headers,
                   const std::string& body) {
              return ask(server_, "POST", target, headers, body, send_timeout);
            },
            clock, std::random_device{}()),
        logs_(config, config.spool / "log_positions.json", clock),
        processes_({.root = config.root}, {.commands = false}) {
    send_loop_.emplace("auscult-send", send_pause, [this](const std::stop_token& stop) {
      work_.pop(spool_->stats().records > 0 ? retry_wait : idle_wait);
      while (!stop.stop_requested() && sender_.step()) {
      }
    });
    collect_loop_.emplace("auscult-collect", config_.interval,
                          [this](const std::stop_token&) { collect(); });
    process_loop_.emplace("auscult-procs",
                          std::max<std::chrono::nanoseconds>(config_.interval, min_process_period),
                          [this](const std::stop_token&) { look_at_processes(); });
    log_loop_.emplace("auscult-logs", log_period, [this](const std::stop_token&) { read_logs(); });
    start_actions();
  }

  ~Running() override {
    collect_loop_.reset();
    process_loop_.reset();
    log_loop_.reset();
    sender_.quiet();
    if (actions_) actions_->quiet();
    stop_with(action_loop_, control_);
    work_.close();
    stop_with(send_loop_, server_);
  }

 private:
  Result<net::Response> ask(net::HttpClient& client, const std::string& method,
                            const std::string& target, net::Headers headers,
                            const std::string& body, std::chrono::milliseconds timeout) const {
    if (!config_.token_file.empty()) {
      const std::string token = TRY(read_file(config_.token_file, max_token_bytes));
      headers.emplace_back("Authorization", "Bearer " + std::string(trim(token)));
    }
    return client.request(method, target, headers, body, timeout);
  }

  // A request in flight would hold the loop up for its whole timeout.
  static void stop_with(std::optional<Loop>& loop, net::HttpClient& client) {
    client.cancel();
    loop.reset();
  }

  void start_actions() {
    if (config_.server_public_key.empty()) {
      log_info("no server_public_key: this agent observes and takes no actions");
      return;
    }
    actions_.emplace(
        ActionPollerOptions{.server_public_key = config_.server_public_key,
                            .actions_file = config_.actions_file,
                            .tags = config_.tags,
                            .root = config_.root},
        [this](const std::string& method, const std::string& target, const std::string& body,
               std::chrono::milliseconds timeout) {
          net::Headers headers;
          if (!body.empty()) headers.emplace_back("Content-Type", "application/json");
          return ask(control_, method, target, std::move(headers), body, timeout);
        },
        clock_);
    action_loop_.emplace("auscult-actions", action_pause,
                         [this](const std::stop_token& stop) { actions_->step(stop); });
  }

  void collect() {
    const int64_t now_ns = clock_.now_ns();
    auto collection =
        schedule_.collect({.root = config_.root}, config_.tags, now_ns, clock_.monotonic());
    auto& samples = collection.samples;
    const auto add = [&](model::Samples more) {
      std::move(more.begin(), more.end(), std::back_inserter(samples));
    };
    note_failures(collection);
    add(await_.update(samples));
    add(self_samples(counters(), config_.tags, now_ns));
    spool(Signal::metrics, wire::encode_metrics(samples));
  }

  void look_at_processes() {
    const auto at = clock_.monotonic();
    const auto usages = processes_.sample(at - processes_at_);
    processes_at_ = at;
    const auto samples = collect::process_samples(
        collect::processes_that_matter(usages, config_.processes), config_.tags, clock_.now_ns());
    if (!samples.empty()) spool(Signal::metrics, wire::encode_metrics(samples));
  }

  // Each failure is counted; it is logged when it is new, not at every collection.
  void note_failures(const collect::Collection& collection) {
    std::set<std::string> errors(collection.errors.begin(), collection.errors.end());
    for (const auto& error : errors) {
      ++collector_failures_[error.substr(0, error.find(':'))];
      if (!last_errors_.contains(error)) log_warning("collector " + error);
    }
    last_errors_ = std::move(errors);
  }

  SelfCounters counters() const {
    return {.spool = spool_->stats(),
            .send_failures = sender_.failures(),
            .refused_batches = sender_.refused(),
            .rejected_items = sender_.rejected_items(),
            .sent_batches = sender_.sent(),
            .log_records = log_records_,
            .lost_kernel_messages = lost_kernel_messages_,
            .collector_failures = collector_failures_};
  }

  void read_logs() {
    const auto records = logs_.poll();
    log_records_ += records.size();
    lost_kernel_messages_ = logs_.lost_kernel_messages();
    size_t begin = 0;
    while (begin < records.size()) {
      size_t end = begin;
      size_t bytes = 0;
      while (end < records.size() && end - begin < max_log_batch_records &&
             bytes < max_log_batch_bytes) {
        bytes += records[end++].body.size();
      }
      spool(Signal::logs, wire::encode_logs(std::span(records).subspan(begin, end - begin)));
      begin = end;
    }
    if (auto committed = logs_.commit(); !committed) complain(committed.error().message);
  }

  void spool(Signal signal, std::string body) {
    SpoolRecord record = {.signal = signal, .body = std::move(body)};
    if (config_.gzip) {
      if (auto smaller = wire::compress("gzip", record.body)) {
        record.body = *std::move(smaller);
        record.gzip = true;
      }
    }
    const auto appended = spool_->append(record);
    if (!appended) complain(appended.error().message);
    work_.push(true);
  }

  // The same trouble, a full disk, comes with every batch: it is said once.
  void complain(const std::string& message) {
    const std::lock_guard lock(complaint_mutex_);
    if (message == last_complaint_) return;
    log_error(message + ": batches are dropped and counted");
    last_complaint_ = message;
  }

  const AgentConfig config_;
  const Clock& clock_;
  const std::unique_ptr<Spool> spool_;
  BoundedQueue<bool> work_{1};  // wakes the sender; one mark says as much as ten
  net::HttpClient server_;
  net::HttpClient control_;
  Sender sender_;
  std::optional<ActionPoller> actions_;
  std::mutex complaint_mutex_;
  std::string last_complaint_;

  // Of the log loop.
  LogReader logs_;
  std::atomic<uint64_t> log_records_{0};
  std::atomic<uint64_t> lost_kernel_messages_{0};

  // Of the loop that looks at processes.
  collect::ProcessSampler processes_;
  std::chrono::nanoseconds processes_at_{0};

  // Of the collection loop.
  collect::Schedule schedule_;
  collect::DiskAwait await_;
  std::map<std::string, uint64_t> collector_failures_;
  std::set<std::string> last_errors_;

  std::optional<Loop> send_loop_;
  std::optional<Loop> collect_loop_;
  std::optional<Loop> process_loop_;
  std::optional<Loop> log_loop_;
  std::optional<Loop> action_loop_;
};

Result<std::string> text_of(const std::filesystem::path& file) {
  if (file.empty()) return std::string();
  return read_file(file, max_pem_bytes);
}

// None without https: it would cost memory.
Result<net::TlsContext> tls_of(const AgentConfig& config) {
  if (!TRY(net::parse_url(config.server)).tls && !TRY(net::parse_url(config.control)).tls) {
    return net::TlsContext();
  }
  net::ClientTls files;
  files.ca = TRY(text_of(config.ca));
  files.certificate = TRY(text_of(config.certificate));
  files.key = TRY(text_of(config.key));
  return net::client_context(files);
}

}  // namespace

Result<std::unique_ptr<Agent>> Agent::start(const AgentConfig& config, const Clock& clock) {
  auto spool = Spool::open(config.spool, {.max_bytes = config.spool_max_bytes});
  if (!spool) {
    return Error{ErrorCode::unavailable,
                 spool.error().message + " (--spool names the folder where batches wait)"};
  }
  const auto tls = TRY(tls_of(config));
  auto server = TRY(net::HttpClient::create(config.server, max_answer_bytes, tls));
  auto control = TRY(net::HttpClient::create(config.control, max_answer_bytes, tls));
  return std::unique_ptr<Agent>(std::make_unique<Running>(config, clock, *std::move(spool),
                                                          std::move(server), std::move(control)));
}

}  // namespace auscult::agent
