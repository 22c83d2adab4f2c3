#include "store/reader.h"

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "store/tab_separated.h"

namespace auscult::store {
namespace {

// The most lines of one answer; the engine refuses results with more rows.
constexpr size_t max_log_lines = 1'000'000;

// Nothing older than 1970 is stored, and ClickHouse's times end soon after an Int64 does.
int64_t clamped(int64_t time_ns) { return std::max<int64_t>(time_ns, 0); }

// Samples have milliseconds: the first that is not before `time_ns`.
std::string milliseconds(int64_t time_ns) {
  const int64_t ns = clamped(time_ns);
  return std::to_string(ns / 1'000'000 + (ns % 1'000'000 == 0 ? 0 : 1));
}

Parameters range_in_ns(const TimeRange& range) {
  return {{"begin", std::to_string(clamped(range.begin_ns))},
          {"end", std::to_string(clamped(range.end_ns))}};
}

int64_t integer(const std::string& cell) { return to_int(cell).value_or(0); }
double real(const std::string& cell) {
  return to_double(cell).value_or(std::numeric_limits<double>::quiet_NaN());
}

// Points from "[(ms,value),...]", ascending.
std::vector<Point> points_from(std::string_view text) {
  const std::vector<double> numbers = parse_numbers(text);
  std::vector<Point> points;
  points.reserve(numbers.size() / 2);
  for (size_t i = 0; i + 1 < numbers.size(); i += 2) {
    // Milliseconds are below 2^53, so that a double holds them.
    points.push_back({static_cast<int64_t>(numbers[i]) * 1'000'000, numbers[i + 1]});
  }
  return points;
}

}  // namespace

Result<std::vector<Series>> read_series(Engine& engine, const SeriesQuery& query) {
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const auto& [name, value] : query.labels) {
    names.push_back(name);
    values.push_back(value);
  }
  // Of samples with the same time the one that came last counts.
  const Table table =
      TRY(engine.query({.sql = R"sql(
        WITH
            wanted AS
            (
                SELECT id, any(mapKeys(labels)) AS names, any(mapValues(labels)) AS texts,
                    any(cluster) AS cluster_, any(node_id) AS node_id_, any(job_id) AS job_id_,
                    any(model_name) AS model_name_, any(rank) AS rank_, any(gpu) AS gpu_
                FROM auscult.series
                WHERE metric = {metric:String}
                  AND ({node_id:String} = '' OR node_id = {node_id:String})
                  AND arrayAll((k, v) -> labels[k] = v,
                               {names:Array(String)}, {values:Array(String)})
                GROUP BY id
            ),
            points AS
            (
                SELECT id, arraySort(p -> p.1, groupArray((ms, last))) AS all_points
                FROM
                (
                    SELECT id, toUnixTimestamp64Milli(timestamp) AS ms,
                        argMax(value, stored_at) AS last
                    FROM auscult.samples
                    WHERE id IN (SELECT id FROM wanted)
                      AND timestamp >= fromUnixTimestamp64Milli({begin:Int64})
                      AND timestamp < fromUnixTimestamp64Milli({end:Int64})
                    GROUP BY id, timestamp
                )
                GROUP BY id
            )
        SELECT names, texts, cluster_, node_id_, job_id_, model_name_, rank_, gpu_, all_points
        FROM points INNER JOIN wanted USING (id)
        ORDER BY id)sql",
                        .parameters = {{"metric", query.metric},
                                       {"node_id", query.node_id},
                                       {"names", to_array_text(names)},
                                       {"values", to_array_text(values)},
                                       {"begin", milliseconds(query.range.begin_ns)},
                                       {"end", milliseconds(query.range.end_ns)}}}));
  std::vector<Series> all;
  for (const auto& row : table.rows) {
    all.push_back({.metric = query.metric,
                   .labels = parse_labels(row[0], row[1]),
                   .tags = tags_from(row, 2),
                   .points = points_from(row[8])});
  }
  return all;
}

Result<model::LogRecords> read_logs(Engine& engine, const LogQuery& query) {
  Parameters parameters = range_in_ns(query.range);
  parameters["node_id"] = query.node_id;
  parameters["source"] = query.source;
  parameters["limit"] = std::to_string(std::min(query.limit, max_log_lines));
  const Table table = TRY(engine.query({.sql = R"sql(
        SELECT toUnixTimestamp64Nano(timestamp), toUnixTimestamp64Nano(observed), severity, source,
            body, trace_id, span_id, mapKeys(attributes), mapValues(attributes),
            cluster, node_id, job_id, model_name, rank, gpu
        FROM auscult.logs
        WHERE timestamp >= fromUnixTimestamp64Nano({begin:Int64})
          AND timestamp < fromUnixTimestamp64Nano({end:Int64})
          AND ({node_id:String} = '' OR node_id = {node_id:String})
          AND ({source:String} = '' OR source = {source:String})
        ORDER BY timestamp DESC, observed DESC, stored_at DESC, node_id DESC, source DESC
        LIMIT {limit:UInt64})sql",
                                        .parameters = std::move(parameters)}));
  model::LogRecords logs;
  for (auto row = table.rows.rbegin(); row != table.rows.rend(); ++row) {
    logs.push_back({.timestamp_ns = integer((*row)[0]),
                    .observed_ns = integer((*row)[1]),
                    .severity = static_cast<int32_t>(integer((*row)[2])),
                    .source = (*row)[3],
                    .body = (*row)[4],
                    .trace_id = (*row)[5],
                    .span_id = (*row)[6],
                    .attributes = parse_labels((*row)[7], (*row)[8]),
                    .tags = tags_from(*row, 9)});
  }
  return logs;
}

Result<model::BenchmarkResults> read_results(Engine& engine, const ResultQuery& query) {
  Parameters parameters = range_in_ns(query.range);
  parameters["node_id"] = query.node_id;
  parameters["benchmark"] = query.benchmark;
  parameters["trusted_only"] = query.trusted_only ? "1" : "0";
  const Table table = TRY(engine.query({.sql = R"sql(
        SELECT run_id, toUnixTimestamp64Nano(timestamp), benchmark, metric, value, unit, device,
            cluster, node_id, job_id, model_name, rank, gpu,
            mapKeys(params), mapValues(params), git_commit,
            mapKeys(cluster_version), mapValues(cluster_version),
            preflight_passed, preflight_warnings, samples
        FROM auscult.benchmark_results
        WHERE timestamp >= fromUnixTimestamp64Nano({begin:Int64})
          AND timestamp < fromUnixTimestamp64Nano({end:Int64})
          AND ({node_id:String} = '' OR node_id = {node_id:String})
          AND ({benchmark:String} = '' OR benchmark = {benchmark:String})
          AND preflight_passed >= {trusted_only:UInt8}
        ORDER BY timestamp, run_id, benchmark, metric, device)sql",
                                        .parameters = std::move(parameters)}));
  model::BenchmarkResults results;
  for (const auto& row : table.rows) {
    results.push_back(
        {.run_id = row[0],
         .timestamp_ns = integer(row[1]),
         .benchmark = row[2],
         .metric = row[3],
         .value = real(row[4]),
         .unit = row[5],
         .device = row[6],
         .tags = tags_from(row, 7),
         .params = parse_labels(row[13], row[14]),
         .provenance = {.git_commit = row[15], .cluster_version = parse_labels(row[16], row[17])},
         .preflight = {.passed = row[18] == "1",
                       .warnings =
                           parse_string_array(row[19]).value_or(std::vector<std::string>{})},
         .samples = parse_numbers(row[20])});
  }
  return results;
}

Result<std::vector<IncidentEvent>> read_events(Engine& engine, const std::string& incident_id) {
  const Table table = TRY(engine.query({.sql = R"sql(
        SELECT incident_id, toUnixTimestamp64Nano(timestamp), kind, actor, detail
        FROM auscult.incident_events
        WHERE incident_id = {incident_id:String}
        ORDER BY timestamp, stored_at, sequence)sql",
                                        .parameters = {{"incident_id", incident_id}}}));
  std::vector<IncidentEvent> events;
  for (const auto& row : table.rows) {
    events.push_back({.incident_id = row[0],
                      .timestamp_ns = integer(row[1]),
                      .kind = row[2],
                      .actor = row[3],
                      .detail = TRY(Json::parse(row[4]), "incident " + incident_id)});
  }
  return events;
}

Result<std::vector<std::string>> read_incident_ids(Engine& engine) {
  const Table table = TRY(engine.query({.sql = R"sql(
        SELECT incident_id FROM auscult.incident_events
        GROUP BY incident_id
        ORDER BY min(timestamp) DESC, incident_id DESC
        LIMIT 1000)sql",
                                        .parameters = {}}));
  std::vector<std::string> ids;
  for (const auto& row : table.rows) ids.push_back(row[0]);
  return ids;
}

Result<Json> read_sync_position(Engine& engine, const std::string& source) {
  const Table table = TRY(engine.query({.sql = R"sql(
        SELECT position FROM auscult.sync_positions
        WHERE source = {source:String}
        ORDER BY stored_at DESC
        LIMIT 1)sql",
                                        .parameters = {{"source", source}}}));
  if (table.rows.empty()) return Json();
  return Json::parse(table.rows[0][0]);
}

Result<std::vector<std::string>> read_node_ids(Engine& engine, TimeRange range) {
  const Table table = TRY(engine.query({.sql = R"sql(
        SELECT DISTINCT node_id FROM auscult.series
        WHERE node_id != '' AND id IN
        (
            SELECT id FROM auscult.samples
            WHERE timestamp >= fromUnixTimestamp64Milli({begin:Int64})
              AND timestamp < fromUnixTimestamp64Milli({end:Int64})
        )
        ORDER BY node_id)sql",
                                        .parameters = {{"begin", milliseconds(range.begin_ns)},
                                                       {"end", milliseconds(range.end_ns)}}}));
  std::vector<std::string> nodes;
  for (const auto& row : table.rows) nodes.push_back(row[0]);
  return nodes;
}

}  // namespace auscult::store
