#include "logs/kmsg.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/text.h"

namespace auscult::logs {
namespace {

// The kernel's limit of one record is 8 KiB (CONSOLE_EXT_LOG_MAX); a shorter buffer gets EINVAL.
constexpr size_t max_record_bytes = 16U << 10U;

// OpenTelemetry's numbers for syslog's eight priorities, emergency first.
constexpr std::array<int32_t, 8> severities = {21, 19, 18, 17, 13, 10, 9, 5};

// The kernel writes control characters, and bytes that are not printable, as \xHH.
std::string unescape(std::string_view text) {
  std::string out;
  const auto digit = [&](size_t at) -> int {
    if (at >= text.size()) return -1;
    const auto value =
        std::string_view("0123456789abcdef").find(static_cast<char>(text[at] | 0x20));
    return value == std::string_view::npos ? -1 : static_cast<int>(value);
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == 'x' && digit(i + 2) >= 0 &&
        digit(i + 3) >= 0) {
      out += static_cast<char>(digit(i + 2) * 16 + digit(i + 3));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return valid_utf8(out);
}

}  // namespace

std::optional<KernelMessage> parse_kmsg(std::string_view record) {
  const auto semicolon = record.find(';');
  if (semicolon == record.npos) return {};
  // Later kernels may put more values before the semicolon.
  const auto head = split(record.substr(0, semicolon), ',');
  if (head.size() < 4) return {};
  const auto priority = to_uint(head[0]);
  const auto sequence = to_uint(head[1]);
  const auto time_us = to_int(head[2]);
  if (!priority || !sequence || !time_us) return {};
  const auto lines = split(record.substr(semicolon + 1), '\n');
  KernelMessage message = {.priority = static_cast<int>(*priority & 7U),
                           .facility = static_cast<int>(*priority >> 3U),
                           .sequence = *sequence,
                           .boot_us = *time_us,
                           .text = unescape(lines[0])};
  for (size_t i = 1; i < lines.size(); ++i) {
    const auto equals = lines[i].find('=');
    if (!lines[i].starts_with(' ') || equals == lines[i].npos) continue;
    message.fields.emplace_back(lines[i].substr(1, equals - 1),
                                unescape(lines[i].substr(equals + 1)));
  }
  model::normalise(message.fields);
  return message;
}

Json to_json(const KernelLogPosition& position) {
  Json json;
  json.set("boot_id", position.boot_id);
  json.set("next_sequence", position.next_sequence);
  return json;
}

KernelLogPosition kernel_log_position_from_json(const Json& json) {
  return {.boot_id = json["boot_id"].string_or(""),
          .next_sequence = static_cast<uint64_t>(json["next_sequence"].int_or(0))};
}

Result<KernelLog> KernelLog::open(const std::filesystem::path& path, std::string boot_id) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file) return errno_error("opening the kernel's log", path);
  return KernelLog(std::move(file), std::move(boot_id));
}

KernelLog::KernelLog(FileDescriptor file, std::string boot_id)
    : file_(std::move(file)), position_{.boot_id = std::move(boot_id)} {}

void KernelLog::resume(const KernelLogPosition& position) {
  if (position.boot_id != position_.boot_id || position.next_sequence == 0) return;
  position_ = position;
  seen_any_ = true;
}

model::LogRecords KernelLog::poll(const Clock& clock, size_t max_records) {
  model::LogRecords records;
  std::array<char, max_record_bytes> buffer{};
  while (records.size() < max_records) {
    const ssize_t n = ::read(file_.get(), buffer.data(), buffer.size());
    // EPIPE: the next message was overwritten; the read after it gives the oldest that is left.
    if (n < 0 && (errno == EINTR || errno == EPIPE)) continue;
    if (n <= 0) break;
    auto message = parse_kmsg({buffer.data(), static_cast<size_t>(n)});
    if (!message) continue;
    if (seen_any_ && message->sequence < position_.next_sequence) continue;
    if (seen_any_) lost_ += message->sequence - position_.next_sequence;
    seen_any_ = true;
    position_.next_sequence = message->sequence + 1;
    const int64_t now_ns = clock.now_ns();
    // The kernel stamps with its monotonic clock, so the same clock tells how long ago it was.
    const int64_t age_ns = clock.monotonic().count() - message->boot_us * 1000;
    records.push_back({.timestamp_ns = now_ns - age_ns,
                       .observed_ns = now_ns,
                       .severity = severities[static_cast<size_t>(message->priority)],
                       .source = "kernel",
                       .body = std::move(message->text),
                       .attributes = std::move(message->fields)});
  }
  return records;
}

}  // namespace auscult::logs
