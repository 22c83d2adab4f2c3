#include "model/benchmark_result.h"

#include <cmath>

#include "base/clock.h"

namespace auscult::model {
namespace {

Json to_object(const Labels& labels) {
  Json object{Json::Object{}};
  for (const auto& [name, value] : labels) object.set(name, value);
  return object;
}

// A single value as text, as it prints; empty for null, lists and objects.
std::string text_of(const Json& value) {
  if (value.is_string()) return value.string_or("");
  return value.is_number() || value.is_bool() ? value.dump() : std::string();
}

// Parameters and versions are text to us: 4096, "4096" and true compare as they print.
Labels to_labels(const Json& object) {
  Labels labels;
  for (const auto& [name, value] : object.object()) {
    labels.emplace_back(name,
                        value.is_object() || value.is_array() ? value.dump() : text_of(value));
  }
  normalise(labels);
  return labels;
}

Error wrong(std::string_view member, std::string_view expected) {
  return {ErrorCode::invalid_input,
          "benchmark result: '" + std::string(member) + "' must be " + std::string(expected)};
}

}  // namespace

Json to_json(const BenchmarkResult& result) {
  Json tags{Json::Object{}};
  for (const auto& [name, field] : tag_fields) tags.set(name, result.tags.*field);
  Json warnings{Json::Array{}};
  for (const auto& warning : result.preflight.warnings) warnings.push(warning);
  Json samples{Json::Array{}};
  for (const double sample : result.samples) samples.push(sample);
  Json json{Json::Object{}};
  json.set("run_id", result.run_id)
      .set("timestamp", format_time(result.timestamp_ns))
      .set("benchmark", result.benchmark)
      .set("metric", result.metric)
      .set("value", result.value)
      .set("unit", result.unit)
      .set("device", result.device)
      .set("tags", std::move(tags))
      .set("params", to_object(result.params))
      .set("git_commit", result.provenance.git_commit)
      .set("cluster_version", to_object(result.provenance.cluster_version))
      .set("preflight", Json(Json::Object{{"passed", result.preflight.passed},
                                          {"warnings", std::move(warnings)}}))
      .set("samples", std::move(samples));
  return json;
}

Result<BenchmarkResult> benchmark_result_from_json(const Json& json) {
  if (!json.is_object()) return wrong("result", "an object");
  BenchmarkResult result;
  for (const auto& [member, field] : {std::pair{"run_id", &BenchmarkResult::run_id},
                                      {"benchmark", &BenchmarkResult::benchmark},
                                      {"metric", &BenchmarkResult::metric}}) {
    if (!json[member].is_string() || json[member] == Json(""))
      return wrong(member, "a non-empty text");
    result.*field = json[member].string_or("");
  }
  if (!json["value"].is_number() || !std::isfinite(json["value"].number_or(0))) {
    return wrong("value", "a finite number");
  }
  result.value = json["value"].number_or(0);
  result.timestamp_ns =
      TRY(json["timestamp"].is_number() ? parse_time(json["timestamp"].dump())
                                        : parse_time(json["timestamp"].string_or("")),
          "benchmark result: 'timestamp'");
  result.unit = json["unit"].string_or("");
  result.device = json["device"].string_or("");
  if (json.has("tags") && !json["tags"].is_object()) return wrong("tags", "an object");
  for (const auto& [name, field] : tag_fields) {
    result.tags.*field = text_of(json["tags"][name]);
  }
  if (result.tags.node_id.empty()) result.tags.node_id = text_of(json["node_id"]);
  result.params = to_labels(json["params"]);
  result.provenance.git_commit = json["git_commit"].string_or("");
  result.provenance.cluster_version = to_labels(json["cluster_version"]);
  result.preflight.passed = json["preflight"]["passed"].bool_or(true);
  for (const Json& warning : json["preflight"]["warnings"].array()) {
    result.preflight.warnings.push_back(warning.string_or(""));
  }
  for (const Json& sample : json["samples"].array()) {
    // null is how a sample that is no number prints.
    if (!sample.is_number() && !sample.is_null()) return wrong("samples", "a list of numbers");
    result.samples.push_back(sample.number_or(NAN));
  }
  return result;
}

}  // namespace auscult::model
