#include "store/loader.h"

#include <cstring>
#include <string>

#include "base/log.h"
#include "base/text.h"
#include "store/tab_separated.h"

namespace auscult::store {
namespace {

// The engine refuses results with more than a million rows.
constexpr size_t rows_per_page = 1'000'000;
constexpr size_t series_per_page = 50'000;
constexpr size_t pages_between_lines = 10;

// As the query below has them, RowBinary.
struct SampleRow {
  uint64_t id;
  int64_t timestamp_ms;
  double value;
  int64_t stamp_ms;
};

}  // namespace

Result<Ok> load_series(Engine& engine, SeriesCatalog& catalog) {
  uint64_t after = 0;
  while (true) {
    const Table page = TRY(engine.query(
        {.sql = "SELECT id, toUnixTimestamp64Milli(max(announced_at)), any(metric), "
                "any(mapKeys(labels)), any(mapValues(labels)), any(cluster), any(node_id), "
                "any(job_id), any(model_name), any(rank), any(gpu), any(kind) "
                "FROM auscult.series "
                "WHERE id > {after:UInt64} AND announced_at > now() - INTERVAL 2 DAY "
                "GROUP BY id ORDER BY id LIMIT {page:UInt64}",
         .parameters = {{"after", std::to_string(after)},
                        {"page", std::to_string(series_per_page)}}}));
    for (size_t i = 0; i < page.rows.size(); ++i) {
      const auto& row = page.rows[i];
      after = to_uint(row[0]).value_or(0);
      TRY(catalog.restore(
          {.metric = row[2],
           .labels = parse_labels(row[3], row[4]),
           .tags = tags_from(row, 5),
           .kind = row[11] == "counter" ? model::MetricKind::counter : model::MetricKind::gauge,
           .id = after},
          to_uint(row[1]).value_or(0)));
    }
    if (page.rows.size() < series_per_page) return Ok{};
  }
}

Result<Ok> load_hot(Engine& engine, SeriesCatalog& catalog, HotStore& hot) {
  const std::string begin = std::to_string(hot.begin_ms());
  SampleRow last{};
  size_t n_rows = 0;
  CatalogSeries* series = nullptr;
  for (size_t page = 1;; ++page) {
    const std::string rows = TRY(engine.query_binary(
        {.sql = "SELECT id, toUnixTimestamp64Milli(timestamp), value, "
                "toUnixTimestamp64Milli(stored_at) FROM auscult.samples "
                "WHERE timestamp >= fromUnixTimestamp64Milli({begin:Int64}) AND id >= {id:UInt64} "
                "AND (id, timestamp, stored_at) > ({id:UInt64}, "
                "fromUnixTimestamp64Milli({time:Int64}), fromUnixTimestamp64Milli({stored:Int64})) "
                "ORDER BY id, timestamp, stored_at LIMIT {page:UInt64}",
         .parameters = {{"begin", begin},
                        {"id", std::to_string(last.id)},
                        {"time", std::to_string(last.timestamp_ms)},
                        {"stored", std::to_string(last.stamp_ms)},
                        {"page", std::to_string(rows_per_page)}}}));
    model::Points points;  // for the rule of what the hot store keeps, also of times ahead
    for (size_t at = 0; at + sizeof(SampleRow) <= rows.size(); at += sizeof(SampleRow)) {
      const uint64_t id_before = last.id;
      std::memcpy(&last, rows.data() + at, sizeof last);
      if (series == nullptr || last.id != id_before) series = catalog.by_id(last.id);
      // Without a row in the table of series nobody could ask for it.
      if (series == nullptr) continue;
      points.push_back(series, last.timestamp_ms, last.value);
    }
    hot.append(points);
    n_rows += rows.size() / sizeof(SampleRow);
    if (rows.size() < rows_per_page * sizeof(SampleRow)) break;
    if (page % pages_between_lines == 0) {
      log_info("reading recent samples: " + std::to_string(n_rows / rows_per_page) +
               " million so far");
    }
  }
  if (n_rows > 0) {
    log_info(std::to_string(n_rows) + " recent samples of " + std::to_string(hot.stats().series) +
             " series are in memory");
  }
  return Ok{};
}

}  // namespace auscult::store
