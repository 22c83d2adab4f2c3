#include "serve/prometheus_source.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "net/client.h"
#include "serve/prometheus_duration.h"

namespace auscult::serve {
namespace {

// Prometheus ends a query of its own after two minutes (--query.timeout).
constexpr std::chrono::seconds patience{130};

std::string seconds_text(int64_t time_ms) {
  std::string decimals = std::to_string(1000 + time_ms % 1000);
  return std::to_string(time_ms / 1000) + "." + decimals.substr(1);
}

// "15d", "15d or 512MiB", "512MiB".
std::optional<std::chrono::milliseconds> time_in(const std::string& retention) {
  for (const auto word : words(retention)) {
    if (const auto duration = parse_prometheus_duration(word); duration && duration->count() > 0) {
      return *duration;
    }
  }
  return {};
}

class HttpSource : public PrometheusSource {
 public:
  HttpSource(net::HttpClient client, std::string prefix)
      : client_(std::move(client)), prefix_(std::move(prefix)) {}

  Result<std::vector<std::string>> metric_names(
      const wire::TimeRangeMs& range, const std::vector<std::string>& selectors) override {
    std::string target = "/api/v1/label/__name__/values?start=" + seconds_text(range.start_ms) +
                         "&end=" + seconds_text(range.end_ms);
    for (const auto& selector : selectors) target += "&match[]=" + net::url_encode(selector);
    const Json data = TRY(get(target));
    std::vector<std::string> names;
    for (const Json& name : data.array()) names.push_back(name.string_or(""));
    std::sort(names.begin(), names.end());
    return names;
  }

  Result<wire::Rejected> read(std::span<const wire::ReadQuery> queries, model::SeriesIndex& index,
                              const wire::PointsSink& sink) override {
    wire::ChunkedReadDecoder decoder(queries, {}, index, sink);
    std::string samples;  // one block, which cannot be unpacked in pieces
    bool is_stream = true;
    const wire::RemoteReadOptions options;
    const auto take = [&](std::string_view content_type, std::string_view bytes) -> Result<> {
      is_stream = wire::is_chunked_read(content_type);
      if (is_stream) return decoder.feed(bytes);
      samples += bytes;
      if (samples.size() <= options.max_response_bytes) return Ok{};
      return Error{ErrorCode::invalid_input, "remote read: too long an answer of samples"};
    };
    const auto response =
        TRY(client_.request_streamed("POST", prefix_ + "/api/v1/read",
                                     {{"Content-Type", "application/x-protobuf"},
                                      {"Content-Encoding", "snappy"},
                                      {"User-Agent", "Auscult"},
                                      {"X-Prometheus-Remote-Read-Version", "0.1.0"}},
                                     wire::encode_read_request(queries), patience, take));
    if (response.status != 200) return refused("/api/v1/read", response);
    if (!is_stream) return wire::decode_read_response(samples, options, index, sink);
    TRY(decoder.finish());
    return decoder.rejected();
  }

  Result<std::optional<std::chrono::milliseconds>> retention() override {
    const Json info = TRY(get("/api/v1/status/runtimeinfo"));
    return time_in(info["storageRetention"].string_or(""));
  }

  void cancel() override { client_.cancel(); }

 private:
  // The member `data` of an answer.
  Result<Json> get(const std::string& target) {
    const auto response = TRY(client_.request("GET", prefix_ + target, {}, "", patience));
    if (response.status != 200) return refused(target, response);
    const Json answer = TRY(Json::parse(response.body), "GET " + prefix_ + target);
    return answer["data"];
  }

  Error refused(std::string_view target, const net::Response& response) const {
    const auto line = trim(std::string_view(response.body).substr(0, 300));
    return {response.status / 100 == 4 ? ErrorCode::invalid_input : ErrorCode::unavailable,
            prefix_ + std::string(target.substr(0, target.find('?'))) + ": HTTP status " +
                std::to_string(response.status) + ": " + valid_utf8(line)};
  }

  net::HttpClient client_;
  const std::string prefix_;  // path before /api, without a slash at the end
};

}  // namespace

Result<std::unique_ptr<PrometheusSource>> connect_prometheus(const std::string& url) {
  std::string prefix = TRY(net::parse_url(url)).path;
  prefix.erase(std::min(prefix.find('?'), prefix.size()));
  while (prefix.ends_with('/')) prefix.pop_back();
  auto client = TRY(net::HttpClient::create(url));
  return std::unique_ptr<PrometheusSource>(
      std::make_unique<HttpSource>(std::move(client), std::move(prefix)));
}

}  // namespace auscult::serve
