// Prometheus source: the questions that a sync asks of a Prometheus server.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/series.h"
#include "wire/remote_read.h"

namespace auscult::serve {

// One thread at a time, except for cancel(). Errors are `unavailable` where a later try may help.
class PrometheusSource {
 public:
  virtual ~PrometheusSource() = default;

  // The names of metrics that may have samples in the range, sorted. `selectors` as in PromQL, a
  // series that one of them selects counts; empty: all.
  virtual Result<std::vector<std::string>> metric_names(
      const wire::TimeRangeMs& range, const std::vector<std::string>& selectors) = 0;

  // All samples of the queries; a sample may come twice. What was rejected is returned.
  virtual Result<wire::Rejected> read(std::span<const wire::ReadQuery> queries,
                                      model::SeriesIndex& index, const wire::PointsSink& sink) = 0;

  // For how long it keeps samples; nothing where only their size is bounded.
  virtual Result<std::optional<std::chrono::milliseconds>> retention() = 0;

  // Any thread. Ends the question that is being asked, or the next one.
  virtual void cancel() = 0;
};

// Over HTTP. `url` may have a path: "http://host:9090/prometheus". invalid_input: it is no URL.
Result<std::unique_ptr<PrometheusSource>> connect_prometheus(const std::string& url);

}  // namespace auscult::serve
