// A Prometheus server in memory: what the tests of its sync share.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/text.h"
#include "serve/prometheus_source.h"

namespace auscult::serve {

// Knows series without labels, asked for by an alternation of names; other matchers select all.
class FakePrometheus : public PrometheusSource {
 public:
  struct Server {
    std::map<std::string, std::vector<std::pair<int64_t, double>>> samples;  // time in ms
    std::deque<Error> failures;                                              // of the next reads
    std::optional<std::chrono::milliseconds> retention;
    size_t n_queries = 0;
  };

  explicit FakePrometheus(Server& server) : server_(server) {}

  Result<std::vector<std::string>> metric_names(const wire::TimeRangeMs& range,
                                                const std::vector<std::string>&) override {
    std::vector<std::string> names;
    for (const auto& [name, samples] : server_.samples) {
      for (const auto& [time_ms, value] : samples) {
        if (time_ms < range.start_ms || time_ms > range.end_ms) continue;
        names.push_back(name);
        break;
      }
    }
    return names;
  }

  Result<wire::Rejected> read(std::span<const wire::ReadQuery> queries, model::SeriesIndex& index,
                              const wire::PointsSink& sink) override {
    if (!server_.failures.empty()) {
      Error failure = server_.failures.front();
      server_.failures.pop_front();
      return failure;
    }
    for (const auto& query : queries) {
      ++server_.n_queries;
      for (const auto name : split(query.matchers.back().value, '|')) {
        model::Points points;
        const auto series = TRY(index.add(hash128(name, 1), {.metric = std::string(name)}));
        for (const auto& [time_ms, value] : server_.samples[std::string(name)]) {
          if (time_ms < query.range.start_ms || time_ms > query.range.end_ms) continue;
          points.push_back(series, time_ms, value);
        }
        TRY(sink(std::move(points)));
      }
    }
    return wire::Rejected{};
  }

  Result<std::optional<std::chrono::milliseconds>> retention() override {
    return server_.retention;
  }

  void cancel() override {}

 private:
  Server& server_;
};

}  // namespace auscult::serve
