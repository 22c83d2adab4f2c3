#include "store/group.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <unordered_set>
#include <utility>

#include "base/clock.h"
#include "store/native.h"
#include "store/row_binary.h"
#include "store/series_catalog.h"

namespace auscult::store {
namespace {

// The end of 2261: DateTime64(9) counts nanoseconds in an Int64, which ends in April 2262.
constexpr int64_t max_time_ns = 9'214'646'400 * ns_per_s;

constexpr std::string_view tag_columns = "cluster, node_id, job_id, model_name, rank, gpu";

struct Column {
  std::string_view name;
  std::string_view type;
};
constexpr std::array<Column, 4> sample_columns = {{{"id", "UInt64"},
                                                   {"timestamp", "DateTime64(3, 'UTC')"},
                                                   {"value", "Float64"},
                                                   {"stored_at", "DateTime64(3, 'UTC')"}}};

Block block_of(std::string table, std::string columns) {
  return {.table = std::move(table), .columns = std::move(columns), .data = {}, .rows = 0};
}

uint8_t to_byte(int32_t value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); }

// The tables of a group; each function adds one row of its table.
class Encoder {
 public:
  explicit Encoder(uint64_t stamp_ms) : stamp_ms_(static_cast<int64_t>(stamp_ms)) {}

  void add(const model::Points& points) {
    for (size_t begin = 0; begin < points.size();) {
      const CatalogSeries& series = SeriesCatalog::entry(*points.series[begin]);
      if (is_due(series)) announce(series);
      size_t end = begin + 1;
      while (end < points.size() && points.series[end] == &series) ++end;
      runs_.push_back({series.id, &points, begin, end});
      begin = end;
    }
    samples_.rows += points.size();
  }

  void add(const model::LogRecord& log) {
    put_number(logs_.data, log.timestamp_ns);
    put_number(logs_.data, log.observed_ns);
    put_number(logs_.data, to_byte(log.severity));
    put_text(logs_.data, log.source);
    put_text(logs_.data, log.body);
    put_text(logs_.data, log.trace_id);
    put_text(logs_.data, log.span_id);
    put_labels(logs_.data, log.attributes);
    put_tags(logs_.data, log.tags);
    finish(logs_);
  }

  void add(const model::Span& span) {
    put_number(traces_.data, span.start_ns);
    put_text(traces_.data, span.service);
    put_text(traces_.data, span.name);
    put_number(traces_.data, to_byte(span.kind));
    put_number(traces_.data, span.duration_ns);
    put_number(traces_.data, to_byte(span.status_code));
    put_text(traces_.data, span.status_message);
    put_text(traces_.data, span.trace_id);
    put_text(traces_.data, span.span_id);
    put_text(traces_.data, span.parent_span_id);
    put_labels(traces_.data, span.attributes);
    put_tags(traces_.data, span.tags);
    finish(traces_);
  }

  void add(const model::BenchmarkResult& result) {
    put_text(results_.data, result.run_id);
    put_number(results_.data, result.timestamp_ns);
    put_text(results_.data, result.benchmark);
    put_text(results_.data, result.metric);
    put_number(results_.data, result.value);
    put_text(results_.data, result.unit);
    put_text(results_.data, result.device);
    put_tags(results_.data, result.tags);
    put_labels(results_.data, result.params);
    put_text(results_.data, result.provenance.git_commit);
    put_labels(results_.data, result.provenance.cluster_version);
    put_number(results_.data, static_cast<uint8_t>(result.preflight.passed));
    put_texts(results_.data, result.preflight.warnings);
    put_numbers(results_.data, result.samples);
    finish(results_);
  }

  void add(const IncidentEvent& event) {
    put_text(events_.data, event.incident_id);
    put_number(events_.data, event.timestamp_ns);
    put_text(events_.data, event.kind);
    put_text(events_.data, event.actor);
    put_text(events_.data, event.detail.dump());
    put_number(events_.data, events_.rows);
    finish(events_);
  }

  void add_batch(const std::string& id) {
    put_text(batches_.data, id);
    finish(batches_);
  }

  void move_into(Group& group) {
    encode_samples();
    for (Block* block : {&series_, &samples_, &logs_, &traces_, &results_, &events_, &batches_}) {
      if (block->rows > 0) group.blocks.push_back(std::move(*block));
    }
    group.announced = std::move(announced_);
  }

 private:
  bool is_due(const CatalogSeries& series) const {
    return series.announced_ms == 0 ||
           series.announced_ms + series_lifetime_ms <= static_cast<uint64_t>(stamp_ms_);
  }

  void announce(const CatalogSeries& series) {
    if (!announced_here_.insert(series.id).second) return;
    put_number(series_.data, series.id);
    put_text(series_.data, series.metric);
    put_labels(series_.data, series.labels);
    put_tags(series_.data, series.tags);
    put_number(series_.data, static_cast<int8_t>(series.kind == model::MetricKind::counter));
    finish(series_);
    announced_.push_back(series.id);
  }

  // The columns of the samples, sorted as the table is, which spares the engine the sorting: what
  // is sorted here are runs of samples of one series.
  void encode_samples() {
    if (samples_.rows == 0) return;
    std::stable_sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) {
      return a.id != b.id ? a.id < b.id : a.first_ms() < b.first_ms();
    });
    NativeBlock block(samples_.data, sample_columns.size(), samples_.rows);
    block.begin_column(sample_columns[0].name, sample_columns[0].type);
    for (const Run& run : runs_) block.repeat(run.id, run.size());
    block.begin_column(sample_columns[1].name, sample_columns[1].type);
    for (const Run& run : runs_) block.append(&run.points->timestamps_ms[run.begin], run.size());
    block.begin_column(sample_columns[2].name, sample_columns[2].type);
    for (const Run& run : runs_) block.append(&run.points->values[run.begin], run.size());
    block.begin_column(sample_columns[3].name, sample_columns[3].type);
    block.repeat(stamp_ms_, samples_.rows);
    block.finish();
  }

  // The stamp is the last column of every table.
  void finish(Block& block) const {
    put_number(block.data, stamp_ms_);
    ++block.rows;
  }

  // Neighbouring points of one series.
  struct Run {
    uint64_t id;
    const model::Points* points;
    size_t begin;
    size_t end;
    size_t size() const { return end - begin; }
    int64_t first_ms() const { return points->timestamps_ms[begin]; }
  };

  const int64_t stamp_ms_;
  std::vector<Run> runs_;
  std::unordered_set<uint64_t> announced_here_;
  std::vector<uint64_t> announced_;
  const std::string tags_{tag_columns};
  Block series_ = block_of("series", "id, metric, labels, " + tags_ + ", kind, announced_at");
  Block samples_{.table = "samples",
                 .columns = "id, timestamp, value, stored_at",
                 .data = {},
                 .rows = 0,
                 .format = "Native"};
  Block logs_ = block_of(
      "logs", "timestamp, observed, severity, source, body, trace_id, span_id, attributes, " +
                  tags_ + ", stored_at");
  Block traces_ = block_of("traces",
                           "timestamp, service, name, kind, duration_ns, status_code, "
                           "status_message, trace_id, span_id, parent_span_id, attributes, " +
                               tags_ + ", stored_at");
  Block results_ = block_of("benchmark_results",
                            "run_id, timestamp, benchmark, metric, value, unit, device, " + tags_ +
                                ", params, git_commit, cluster_version, preflight_passed, "
                                "preflight_warnings, samples, stored_at");
  Block events_ = block_of("incident_events",
                           "incident_id, timestamp, kind, actor, detail, sequence, stored_at");
  Block batches_ = block_of("ingest_batches", "id, committed_at");
};

// The times of the batch's rows, each given to `visit`.
template <typename Visit>
void for_each_time(const Batch& batch, const Visit& visit) {
  for (const auto& sample : batch.samples) visit(sample.timestamp_ns);
  constexpr int64_t ns_per_ms = 1'000'000;
  constexpr int64_t max_ms = std::numeric_limits<int64_t>::max() / ns_per_ms;
  for (const int64_t ms : batch.points.timestamps_ms) {
    visit(std::clamp(ms, -max_ms, max_ms) * ns_per_ms);
  }
  for (const auto& log : batch.logs) visit(log.timestamp_ns);
  for (const auto& span : batch.spans) visit(span.start_ns);
  for (const auto& result : batch.results) visit(result.timestamp_ns);
  for (const auto& event : batch.events) visit(event.timestamp_ns);
}

}  // namespace

Result<Ok> make_points(Batch& batch, model::SeriesIndex& index) {
  if (batch.samples.empty()) return Ok{};
  const model::Points more = TRY(model::to_points(batch.samples, index));
  for (size_t i = 0; i < more.size(); ++i) {
    batch.points.push_back(more.series[i], more.timestamps_ms[i], more.values[i]);
  }
  batch.samples.clear();
  return Ok{};
}

Group build_group(const std::vector<const Batch*>& batches, uint64_t stamp_ms) {
  Group group{.stamp_ms = stamp_ms, .batch_ids = {}, .blocks = {}, .rows = 0, .announced = {}};
  Encoder encoder(stamp_ms);
  encoder.add_batch("");  // the group itself: keeps its stamp from being given again
  for (const Batch* batch : batches) {
    encoder.add(batch->points);
    for (const auto& log : batch->logs) encoder.add(log);
    for (const auto& span : batch->spans) encoder.add(span);
    for (const auto& result : batch->results) encoder.add(result);
    for (const auto& event : batch->events) encoder.add(event);
    group.rows += batch->rows();
    if (batch->id.empty()) continue;
    encoder.add_batch(batch->id);
    group.batch_ids.push_back(batch->id);
  }
  encoder.move_into(group);
  return group;
}

model::Points points_of(const Group& group, const SeriesCatalog& catalog) {
  model::Points points;
  for (const Block& block : group.blocks) {
    if (block.table != "samples" || block.format != "Native") continue;
    const NativeReader reader(block.data);
    const auto ids = reader.column<uint64_t>(sample_columns[0].name);
    const auto times = reader.column<int64_t>(sample_columns[1].name);
    const auto values = reader.column<double>(sample_columns[2].name);
    points.reserve(points.size() + ids.size());
    for (size_t i = 0; i < ids.size() && i < times.size() && i < values.size(); ++i) {
      const CatalogSeries* series = catalog.by_id(ids[i]);
      if (series != nullptr) points.push_back(series, times[i], values[i]);
    }
  }
  return points;
}

Result<Ok> validate(const Batch& batch) {
  constexpr int64_t day_ns = 86'400 * ns_per_s;
  int64_t wrong_ns = 0;
  bool is_wrong = false;
  int64_t last_day = -1;
  std::set<int64_t> days;
  for_each_time(batch, [&](int64_t time_ns) {
    if (time_ns < 0 || time_ns >= max_time_ns) {
      is_wrong = true;
      wrong_ns = time_ns;
    } else if (time_ns / day_ns != last_day && days.size() <= max_days) {
      last_day = time_ns / day_ns;
      days.insert(last_day);
    }
  });
  if (is_wrong) {
    return Error{ErrorCode::invalid_input, "a row's time is " + format_time(wrong_ns) +
                                               ": the store keeps times from 1970 to 2261"};
  }
  if (days.size() > max_days) {
    return Error{ErrorCode::invalid_input, "the rows span more than " + std::to_string(max_days) +
                                               " days: send them in smaller batches"};
  }
  return Ok{};
}

}  // namespace auscult::store
