#include "serve/prometheus_sync.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/log.h"
#include "wire/series_selector.h"

namespace auscult::serve {
namespace {

using std::chrono::milliseconds;

// Of a store that is busy: 6 s in all, then the part is fetched again.
constexpr milliseconds first_backoff{200};
constexpr int max_retries = 5;

int64_t now_ms(const Clock& clock) { return clock.now_ns() / 1'000'000; }

// By series and time, each once: selectors may overlap, and chunks do. So a part that is fetched
// again has the same rows.
model::Points in_order(const model::Points& points) {
  std::vector<uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [&](uint32_t i) {
    return std::pair(points.series[i]->id, points.timestamps_ms[i]);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  order.erase(std::unique(order.begin(), order.end(),
                          [&](uint32_t a, uint32_t b) { return key(a) == key(b); }),
              order.end());
  model::Points sorted;
  sorted.reserve(order.size());
  for (const uint32_t i : order) {
    sorted.push_back(points.series[i], points.timestamps_ms[i], points.values[i]);
  }
  return sorted;
}

}  // namespace

std::string SyncOptions::source() const {
  std::string name = url;
  for (const auto& selector : selectors) name += " " + selector;
  return name;
}

Result<std::unique_ptr<PrometheusSync>> PrometheusSync::create(
    SyncOptions options, SyncLimits limits, std::unique_ptr<PrometheusSource> source,
    store::Store& store, const Clock& clock) {
  std::vector<std::vector<wire::LabelMatcher>> selectors;
  for (const auto& selector : options.selectors) {
    selectors.push_back(TRY(wire::parse_series_selector(selector)));
  }
  if (selectors.empty()) selectors.emplace_back();
  return std::unique_ptr<PrometheusSync>(new PrometheusSync(
      std::move(options), limits, std::move(source), std::move(selectors), store, clock));
}

PrometheusSync::PrometheusSync(SyncOptions options, SyncLimits limits,
                               std::unique_ptr<PrometheusSource> source,
                               std::vector<std::vector<wire::LabelMatcher>> selectors,
                               store::Store& store, const Clock& clock)
    : options_(std::move(options)),
      limits_(limits),
      source_(std::move(source)),
      selectors_(std::move(selectors)),
      store_(store),
      clock_(clock),
      n_metrics_(limits.first_metrics) {}

Json PrometheusSync::to_json(const Position& position) const {
  return Json::Object{{"begin_ms", position.begin_ms},
                      {"end_ms", position.end_ms},
                      {"metric", position.metric},
                      {"from_ms", position.from_ms}};
}

Result<Ok> PrometheusSync::load(int64_t until_ms) {
  const Json stored = TRY(store_.read_sync_position(options_.source()));
  position_.emplace();
  position_->begin_ms = stored["begin_ms"].int_or(
      std::max<int64_t>(until_ms - static_cast<int64_t>(options_.since.count()), 0));
  position_->end_ms = stored["end_ms"].int_or(0);
  position_->metric = stored["metric"].string_or("");
  position_->from_ms = stored["from_ms"].int_or(0);
  is_stored_ = true;
  metrics_.clear();
  return Ok{};
}

// False: there is nothing to fetch yet. Windows end at multiples of their length; the last one ends
// at `until_ms`.
Result<bool> PrometheusSync::open_window(int64_t until_ms) {
  Position& at = *position_;
  const int64_t window_ms = limits_.window.count();
  while (metrics_.empty()) {
    if (at.end_ms == 0) {
      if (at.begin_ms >= until_ms) return false;
      at.end_ms = std::min(at.begin_ms - at.begin_ms % window_ms + window_ms, until_ms);
      at.metric.clear();
      at.from_ms = at.begin_ms;
    }
    metrics_ = TRY(source_->metric_names({at.begin_ms, at.end_ms - 1}, options_.selectors));
    metrics_.erase(metrics_.begin(), std::lower_bound(metrics_.begin(), metrics_.end(), at.metric));
    if (!metrics_.empty()) break;
    at = {.begin_ms = at.end_ms, .end_ms = 0, .metric = {}, .from_ms = 0};
    is_stored_ = false;
  }
  return true;
}

PrometheusSync::Part PrometheusSync::next_part() const {
  const Position& at = *position_;
  // A metric of which a piece is stored goes alone, for the others begin at the window's begin.
  const bool is_within = metrics_.front() == at.metric && at.from_ms > at.begin_ms;
  const bool is_single = is_within || piece_ms_ > 0;
  const size_t n = is_single ? 1 : std::min(n_metrics_, metrics_.size());
  Part part;
  part.metrics.assign(metrics_.begin(), metrics_.begin() + static_cast<std::ptrdiff_t>(n));
  const int64_t from_ms = is_within ? at.from_ms : at.begin_ms;
  const int64_t end_ms = piece_ms_ > 0 ? std::min(from_ms + piece_ms_, at.end_ms) : at.end_ms;
  part.range = {from_ms, end_ms - 1};
  part.next = at;
  if (end_ms < at.end_ms) {
    part.next.metric = part.metrics.front();
    part.next.from_ms = end_ms;
  } else if (n < metrics_.size()) {
    part.next.metric = metrics_[n];
    part.next.from_ms = at.begin_ms;
  } else {
    part.next = {.begin_ms = at.end_ms, .end_ms = 0, .metric = {}, .from_ms = 0};
  }
  return part;
}

// Nothing: it is more than a part may have.
Result<std::optional<model::Points>> PrometheusSync::read(const Part& part,
                                                          wire::Rejected& rejected) {
  std::string pattern;
  for (const auto& metric : part.metrics) {
    if (!pattern.empty()) pattern += '|';
    pattern += wire::quote_pattern(metric);
  }
  std::vector<wire::ReadQuery> queries;
  for (const auto& selector : selectors_) {
    queries.push_back({.range = part.range, .matchers = selector});
    queries.back().matchers.push_back(
        {.type = wire::MatchType::matches, .name = "__name__", .value = pattern});
  }
  model::Points points;
  bool is_too_much = false;
  const auto take = [&](model::Points more) -> Result<> {
    if (points.size() + more.size() > limits_.max_points) {
      is_too_much = true;
      return Error{ErrorCode::internal, "too much for a part"};
    }
    for (size_t i = 0; i < more.size(); ++i) {
      points.push_back(more.series[i], more.timestamps_ms[i], more.values[i]);
    }
    return Ok{};
  };
  auto read = source_->read(queries, store_.series(), take);
  if (is_too_much) return std::optional<model::Points>();
  if (!read) return std::move(read).error();
  rejected = *std::move(read);
  return std::optional(in_order(points));
}

void PrometheusSync::make_larger(const Part& part, uint64_t n_points) {
  if (piece_ms_ > 0) {
    if (part.next.metric != part.metrics.front()) piece_ms_ = 0;
  } else if (n_points < limits_.max_points / 4) {
    n_metrics_ = std::min(n_metrics_ * 2, limits_.max_metrics);
  }
}

Result<Ok> PrometheusSync::make_smaller(const Part& part) {
  const int64_t length_ms = part.range.end_ms - part.range.start_ms + 1;
  if (part.metrics.size() > 1) {
    n_metrics_ = part.metrics.size() / 2;
  } else if (length_ms > 1) {
    piece_ms_ = length_ms / 2;
  } else {
    return Error{ErrorCode::invalid_input, part.metrics.front() + " has more than " +
                                               std::to_string(limits_.max_points) +
                                               " samples at one time: leave it out by a selector"};
  }
  return Ok{};
}

// A batch that the store did not confirm may be stored later: so the position stays, and the next
// attempt is the same part under the same id, which the store then knows.
Result<Ok> PrometheusSync::write(model::Points points, Position next, const std::stop_token& stop) {
  store::Batch batch;
  const std::string position = to_json(next).dump();
  batch.id = store::batch_id(
      "sync", options_.source() + "\n" + to_json(*position_).dump() + "\n" + position);
  batch.points = std::move(points);
  batch.sync_positions.push_back({.source = options_.source(), .position = to_json(next)});
  auto backoff = first_backoff;
  auto written = store_.write_and_wait(batch);
  for (int retry = 0; !written && retry < max_retries; ++retry) {
    if (written.error().code != ErrorCode::unavailable) break;
    if (!sleeper_.sleep(backoff, stop)) break;
    backoff *= 2;
    written = store_.write_and_wait(batch);
  }
  if (!written) return written;
  position_ = std::move(next);
  is_stored_ = true;
  return Ok{};
}

Result<SyncStep> PrometheusSync::step(const std::stop_token& stop) {
  if (!until_ms_) until_ms_ = now_ms(clock_) - limits_.safety_lag.count();
  if (!position_) TRY(load(*until_ms_));
  SyncStep result;
  if (!TRY(open_window(*until_ms_))) {
    if (!is_stored_) TRY(write({}, *position_, stop));
    until_ms_.reset();
    result.caught_up = true;
    result.complete_until_ms = position_->begin_ms;
    return result;
  }
  while (!stop.stop_requested()) {
    const Part part = next_part();
    auto points = TRY(read(part, result.rejected));
    if (!points) {
      TRY(make_smaller(part));
      continue;
    }
    result.points = points->size();
    TRY(write(*std::move(points), part.next, stop));
    make_larger(part, result.points);
    if (part.next.end_ms == 0) {
      metrics_.clear();
    } else {
      metrics_.erase(metrics_.begin(),
                     std::lower_bound(metrics_.begin(), metrics_.end(), part.next.metric));
    }
    break;
  }
  result.complete_until_ms = position_->begin_ms;
  return result;
}

}  // namespace auscult::serve
