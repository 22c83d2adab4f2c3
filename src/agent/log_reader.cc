#include "agent/log_reader.h"

#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"

namespace auscult::agent {
namespace {

constexpr size_t max_kernel_records = 1000;  // of one poll
constexpr std::string_view kernel_device = "/dev/kmsg";
constexpr std::string_view kernel_file = "/var/log/kern.log";

std::string boot_id(const std::filesystem::path& root) {
  const auto text = read_file(root / "proc/sys/kernel/random/boot_id", 4096);
  return text ? std::string(trim(*text)) : std::string();
}

}  // namespace

LogReader::LogReader(const AgentConfig& config, std::filesystem::path positions, const Clock& clock)
    : positions_path_(std::move(positions)), clock_(clock), tags_(config.tags) {
  const auto text = read_file(positions_path_);
  auto kept = text ? Json::parse(*text) : Result<Json>(Json());
  if (!kept) {
    log_warning(positions_path_.string() +
                " is damaged, logs are followed from their ends: " + kept.error().message);
    kept = Json();
  }
  for (const auto& log : config.logs) follow(log.path, log.source, *kept);
  open_kernel_log(config, *kept);
  committed_ = text ? *text : std::string();
}

void LogReader::follow(const std::filesystem::path& path, const std::string& source,
                       const Json& kept) {
  followed_.push_back({.tail = logs::Tail(path, logs::Tail::Start::end), .source = source});
  const auto& files = kept["files"];
  if (files.has(path.string())) {
    followed_.back().tail.resume(logs::tail_position_from_json(files[path.string()]));
  }
}

void LogReader::open_kernel_log(const AgentConfig& config, const Json& kept) {
  if (config.kernel_log == "off") return;
  const bool automatic = config.kernel_log == "auto";
  const std::filesystem::path path =
      automatic ? std::filesystem::path(kernel_device) : std::filesystem::path(config.kernel_log);
  std::error_code error;
  if (!automatic && !std::filesystem::is_character_file(path, error)) {
    follow(path, "kernel", kept);
    return;
  }
  auto kernel = logs::KernelLog::open(path, boot_id("/"));
  if (kernel) {
    kernel_ = *std::move(kernel);
    kernel_->resume(logs::kernel_log_position_from_json(kept["kernel"]));
  } else if (automatic && std::filesystem::exists(kernel_file, error)) {
    follow(std::filesystem::path(kernel_file), "kernel", kept);
  } else {
    log_warning("no kernel log: " + kernel.error().message + " (kernel_log names another, or off)");
  }
}

model::LogRecords LogReader::poll() {
  model::LogRecords records;
  if (kernel_) records = kernel_->poll(clock_, max_kernel_records);
  for (auto& [tail, source] : followed_) {
    auto lines = tail.poll(clock_.monotonic());
    if (lines.empty()) continue;
    const int64_t now_ns = clock_.now_ns();
    const std::string path = tail.path().string();
    for (auto& line : lines) {
      records.push_back({.timestamp_ns = now_ns,
                         .observed_ns = now_ns,
                         .source = source,
                         .body = valid_utf8(line),
                         .attributes = {{"log.file.path", path}}});
    }
  }
  for (auto& record : records) record.tags = tags_;
  return records;
}

Json LogReader::positions() const {
  Json files = Json(Json::Object{});
  for (const auto& [tail, source] : followed_) {
    files.set(tail.path().string(), logs::to_json(tail.position()));
  }
  Json json;
  json.set("files", std::move(files));
  if (kernel_) json.set("kernel", logs::to_json(kernel_->position()));
  return json;
}

Result<Ok> LogReader::commit() {
  std::string text = positions().dump();
  if (text == committed_) return Ok{};
  TRY(write_file(positions_path_, text));
  committed_ = std::move(text);
  return Ok{};
}

}  // namespace auscult::agent
