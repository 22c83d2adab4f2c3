#include "agent/sender.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "wire/otlp.h"

namespace auscult::agent {
namespace {

constexpr size_t max_logged_answer_bytes = 200;

// A token or certificate that is missing or wrong (401, 403) says nothing about the batch: somebody
// will mend it.
bool never_taken(int status) {
  return status >= 400 && status < 500 && status != 401 && status != 403 && status != 408 &&
         status != 429;
}

// Seconds only: the other form, a date, needs clocks that agree.
std::chrono::nanoseconds retry_after(const net::Response& response) {
  const auto seconds = to_int(trim(net::header(response.headers, "Retry-After")));
  if (!seconds || *seconds <= 0) return {};
  return std::min<std::chrono::nanoseconds>(
      std::chrono::seconds(std::min<int64_t>(*seconds, max_retry_after.count())), max_retry_after);
}

std::string first_words(std::string_view answer) {
  std::string text = valid_utf8(trim(answer.substr(0, max_logged_answer_bytes)));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return text;
}

}  // namespace

bool Sender::step() {
  if (clock_.monotonic() < not_before_) return false;
  const auto waiting = spool_.front();
  if (!waiting) return false;
  const std::string target = waiting->record.signal == Signal::metrics ? "/v1/metrics" : "/v1/logs";
  net::Headers headers = {{"Content-Type", "application/x-protobuf"}};
  if (waiting->record.gzip) headers.emplace_back("Content-Encoding", "gzip");
  const auto response = post_(target, headers, waiting->record.body);
  if (!response) {
    fail(response.error().message, {});
    return false;
  }
  if (response->status / 100 != 2 && !never_taken(response->status)) {
    fail("the server answered " + std::to_string(response->status) + " " +
             first_words(response->body),
         retry_after(*response));
    return false;
  }
  if (response->status / 100 == 2) {
    ++sent_;
    note_rejected(target, *response);
  } else {
    ++refused_;
    log_error("server refused a batch for " + target + " with " + std::to_string(response->status) +
              ", dropped: " + first_words(response->body));
  }
  if (backoff_.count() > 0) log_info("the server takes batches again");
  backoff_ = {};
  not_before_ = {};
  spool_.pop(*waiting);
  return true;
}

void Sender::note_rejected(const std::string& target, const net::Response& response) {
  const auto answer = wire::decode_success(response.body);
  // Not every server answers in OTLP; a 200 is a 200. A message without a number is only advice.
  if (!answer || answer->rejected == 0) return;
  rejected_items_ += answer->rejected;
  if (std::exchange(said_rejected_, true)) return;
  log_warning("the server left out " + std::to_string(answer->rejected) + " items of a batch for " +
              target + ": " + first_words(answer->message) +
              " (later ones are only counted, auscult_agent_rejected_items_total)");
}

void Sender::fail(const std::string& why, std::chrono::nanoseconds at_least) {
  ++failures_;
  // Said once a time of trouble, not once a try.
  if (backoff_.count() == 0 && !quiet_)
    log_warning("cannot send, batches wait in the spool: " + why);
  backoff_ = std::clamp<std::chrono::nanoseconds>(backoff_ * 2, first_backoff, max_backoff);
  // Half of the wait is by chance: a thousand agents must not come back in the same second.
  std::uniform_real_distribution<double> share(0.5, 1.0);
  const auto wait = std::chrono::nanoseconds(
      static_cast<int64_t>(static_cast<double>(backoff_.count()) * share(random_)));
  not_before_ = clock_.monotonic() + std::max(wait, at_least);
}

}  // namespace auscult::agent
