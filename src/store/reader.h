// Reader: the questions the program asks of its own tables.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "store/engine.h"
#include "store/store.h"

namespace auscult::store {

// Each as the method of Store with the same name. Thread-safe as far as the engine is.
Result<std::vector<Series>> read_series(Engine& engine, const SeriesQuery& query);
Result<model::LogRecords> read_logs(Engine& engine, const LogQuery& query);
Result<model::BenchmarkResults> read_results(Engine& engine, const ResultQuery& query);
Result<std::vector<IncidentEvent>> read_events(Engine& engine, const std::string& incident_id);
Result<std::vector<std::string>> read_incident_ids(Engine& engine);
Result<Json> read_sync_position(Engine& engine, const std::string& source);
Result<std::vector<std::string>> read_node_ids(Engine& engine, TimeRange range);

}  // namespace auscult::store
