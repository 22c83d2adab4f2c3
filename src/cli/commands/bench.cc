// `auscult bench list | preflight | run | drift | history`.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "base/text.h"
#include "bench/benchmark.h"
#include "cli/backend.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/print_table.h"

namespace auscult::cli {
namespace {

struct Arguments {
  std::string verb;
  std::vector<std::string> benchmarks;
  BackendOptions where;
  std::string node, cluster, device;
  std::string scratch;
  std::string format = "table";
  std::vector<std::string> parameters;
  int64_t repeat = 1;
  int64_t fresh_runs = 5;
  double min_effect = 0.10;
  bool no_store = false;
};

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

Result<model::Labels> parameters(const Arguments& arguments) {
  model::Labels labels;
  for (const auto& parameter : arguments.parameters) {
    const auto equals = parameter.find('=');
    if (equals == std::string::npos) {
      return Error{ErrorCode::invalid_input, "--param takes NAME=VALUE, not '" + parameter + "'"};
    }
    labels.emplace_back(parameter.substr(0, equals), parameter.substr(equals + 1));
  }
  model::normalise(labels);
  return labels;
}

Exit list(std::ostream& out) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, benchmark] : bench::all_benchmarks()) {
    std::string metrics;
    for (const auto& metric : benchmark.metrics) {
      metrics += (metrics.empty() ? "" : ", ") + std::string(metric.name);
    }
    std::string defaults;
    for (const auto& [key, value] : benchmark.defaults) {
      defaults += (defaults.empty() ? "" : " ") + key + "=" + value;
    }
    rows.push_back({std::string(name), std::string(benchmark.summary), metrics, defaults});
  }
  print_table(out, {"benchmark", "what", "metrics", "parameters"}, rows);
  return Exit::ok;
}

Result<bench::Request> request_of(const Arguments& arguments, Environment& environment) {
  bench::Request request{.device = arguments.device,
                         .params = TRY(parameters(arguments)),
                         .scratch = arguments.scratch,
                         .progress = {}};
  if (request.scratch.empty()) request.scratch = std::filesystem::current_path();
  if (environment.terminal) {
    request.progress = [&](std::string_view message) { environment.err << message << '\n'; };
  }
  return request;
}

std::vector<std::string> names_or_all(const Arguments& arguments) {
  if (!arguments.benchmarks.empty()) return arguments.benchmarks;
  std::vector<std::string> names;
  for (const auto& row : bench::all_benchmarks()) names.emplace_back(row.name);
  return names;
}

// Exit 1 when a check failed.
Result<Exit> preflight(const Arguments& arguments, Environment& environment) {
  const auto request = TRY(request_of(arguments, environment));
  bool passed = true;
  for (const auto& name : names_or_all(arguments)) {
    const auto outcome = TRY(bench::run_preflight(name, request));
    passed = passed && outcome.passed;
    environment.out << name << ": " << (outcome.passed ? "passed" : "FAILED") << '\n';
    for (const auto& warning : outcome.warnings) environment.out << "  " << warning << '\n';
  }
  return passed ? Exit::ok : Exit::bad_finding;
}

// Tells the server that a benchmark disturbs the node, and when it is over.
class Announcement {
 public:
  Announcement(Backend* backend, const std::string& node, double seconds)
      : backend_(backend), node_(node) {
    if (backend_ == nullptr) return;
    const auto answer = backend_->post_json(
        "/benchmarks/begin", Json(Json::Object{{"node_id", node}, {"seconds", seconds}}));
    if (answer) begin_ns_ = (*answer)["begin_ns"].int_or(0);
  }
  Announcement(const Announcement&) = delete;
  Announcement& operator=(const Announcement&) = delete;
  ~Announcement() {
    if (begin_ns_ == 0) return;
    const auto answer = backend_->post_json(
        "/benchmarks/end", Json(Json::Object{{"node_id", node_}, {"begin_ns", begin_ns_}}));
    static_cast<void>(answer);  // the announced time runs out by itself
  }

 private:
  Backend* backend_;
  std::string node_;
  int64_t begin_ns_ = 0;
};

void print_results(const model::BenchmarkResults& results, const std::string& format,
                   std::ostream& out) {
  if (format == "table") {
    std::vector<std::vector<std::string>> rows;
    for (const auto& result : results) {
      rows.push_back({result.benchmark, result.device, result.metric,
                      format_number(result.value, 5), result.unit,
                      result.preflight.passed ? "trusted" : "not trusted"});
    }
    print_table(out, {"benchmark", "device", "metric", "value", "unit", "preflight"}, rows);
    for (const auto& warning :
         results.empty() ? std::vector<std::string>() : results.front().preflight.warnings) {
      out << "  " << warning << '\n';
    }
    return;
  }
  Json all{Json::Array{}};
  for (const auto& result : results) {
    if (format == "jsonl") out << model::to_json(result).dump() << '\n';
    all.push(model::to_json(result));
  }
  if (format == "json") out << all.dump(2) << '\n';
}

Result<Ok> store_results(const model::BenchmarkResults& results, Backend& backend) {
  Json list{Json::Array{}};
  for (const auto& result : results) list.push(model::to_json(result));
  TRY(backend.post_json("/benchmarks/results", Json(Json::Object{{"results", std::move(list)}})),
      "storing the results");
  return Ok{};
}

Result<Exit> run_all(const Arguments& arguments, Environment& environment) {
  if (arguments.benchmarks.empty()) {
    return Error{ErrorCode::invalid_input, "name a benchmark: see auscult bench list"};
  }
  if (arguments.repeat < 1 || arguments.repeat > 1000) {
    return Error{ErrorCode::invalid_input, "--repeat takes 1 to 1000"};
  }
  std::unique_ptr<Backend> backend;
  if (!arguments.no_store) {
    auto opened = open_backend(arguments.where, environment);
    const bool asked = !arguments.where.data.empty() || !arguments.where.server.empty();
    if (!opened && asked) return std::move(opened).error();
    if (opened) {
      backend = *std::move(opened);
    } else {
      environment.err << "not stored: " << opened.error().message << '\n';
    }
  }
  const std::string node = arguments.node.empty() ? host_name() : arguments.node;
  for (int64_t round = 0; round < arguments.repeat; ++round) {
    for (const auto& name : arguments.benchmarks) {
      bench::RunOptions options{.benchmark = name,
                                .request = TRY(request_of(arguments, environment)),
                                .tags = {.cluster = arguments.cluster, .node_id = node}};
      auto complete = bench::complete_params(name, options.request.params);
      // A name that is not there is a mistake of the command line, not work that failed.
      if (!complete) return Error{ErrorCode::invalid_input, complete.error().message};
      const auto all = bench::all_benchmarks();
      const bench::Benchmark* benchmark = find_named(all, name);
      constexpr double margin = 3;  // a loaded machine takes longer than expected
      const double seconds = 30 + margin * benchmark->expected_seconds(*complete);
      const Announcement announcement(backend.get(), node, std::min(seconds, 3600.0));
      const auto results = TRY(bench::run_benchmark(options, environment.clock));
      print_results(results, arguments.format, environment.out);
      if (backend) TRY(store_results(results, *backend));
    }
  }
  return Exit::ok;
}

net::Headers filter(const Arguments& arguments) {
  net::Headers query;
  if (!arguments.node.empty()) query.emplace_back("node", arguments.node);
  if (arguments.benchmarks.size() == 1) query.emplace_back("benchmark", arguments.benchmarks[0]);
  return query;
}

void print_drift(const Json& drift, std::ostream& out) {
  out << drift["node_id"].string_or("") << ' ' << drift["benchmark"].string_or("") << ' '
      << drift["device"].string_or("") << ": " << drift["verdict"].string_or("");
  if (const auto message = drift["message"].string_or(""); !message.empty()) out << ": " << message;
  if (drift["score"].is_number()) {
    out << ", drift score " << format_number(drift["score"].number_or(0), 3) << ", "
        << drift["fresh_runs"].dump() << " runs against " << drift["baseline_runs"].dump();
  }
  out << '\n';
  constexpr size_t shown_metrics = 3;
  std::vector<std::vector<std::string>> rows;
  for (const Json& metric : drift["metrics"].array()) {
    if (rows.size() == shown_metrics) break;
    rows.push_back({"  " + metric["metric"].string_or(""),
                    format_number(metric["baseline"].number_or(0)),
                    format_number(metric["measured"].number_or(0)), metric["unit"].string_or(""),
                    format_number(metric["change_ratio"].number_or(0) * 100, 3) + "%",
                    format_number(metric["score"].number_or(0), 3),
                    format_number(metric["p_value"].number_or(1), 3),
                    metric["drifted"].bool_or(false) ? "drifted" : ""});
  }
  if (!rows.empty()) {
    print_table(out, {"  metric", "baseline", "now", "unit", "change", "score", "p", ""}, rows);
  }
  for (const Json& note : drift["notes"].array()) out << "  note: " << note.string_or("") << '\n';
}

// Exit 1 where something drifted or there is no baseline to judge by: neither is "fine".
Result<Exit> drift(const Arguments& arguments, Environment& environment) {
  const auto backend = TRY(open_backend(arguments.where, environment));
  net::Headers query = filter(arguments);
  query.emplace_back("fresh_runs", std::to_string(arguments.fresh_runs));
  query.emplace_back("min_effect", format_number(arguments.min_effect, 6));
  const Json answer = TRY(backend->get_json("/benchmarks/drift", query));
  if (arguments.format != "table") environment.out << answer.dump(2) << '\n';
  bool clear = !answer["drift"].array().empty();
  for (const Json& one : answer["drift"].array()) {
    clear = clear && one["verdict"] == Json("clear");
    if (arguments.format == "table") print_drift(one, environment.out);
  }
  if (answer["drift"].array().empty() && arguments.format == "table") {
    environment.out << "no_data: no benchmark results in the last 7 days\n";
  }
  return clear ? Exit::ok : Exit::bad_finding;
}

Result<Exit> history(const Arguments& arguments, Environment& environment) {
  const auto backend = TRY(open_backend(arguments.where, environment));
  const Json answer = TRY(backend->get_json("/benchmarks/results", filter(arguments)));
  model::BenchmarkResults results;
  for (const Json& one : answer["results"].array()) {
    results.push_back(TRY(model::benchmark_result_from_json(one)));
  }
  if (arguments.format != "table") {
    print_results(results, arguments.format, environment.out);
    return Exit::ok;
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& result : results) {
    rows.push_back({format_time(result.timestamp_ns), result.tags.node_id, result.benchmark,
                    result.device, result.metric, format_number(result.value, 5), result.unit,
                    result.preflight.passed ? "trusted" : "not trusted"});
  }
  print_table(environment.out,
              {"time", "node", "benchmark", "device", "metric", "value", "unit", "preflight"},
              rows);
  return Exit::ok;
}

Result<Exit> run(const std::vector<std::string>& words, Environment& environment) {
  Arguments arguments;
  Options options("bench", "Benchmarks of this node: list, preflight, run, drift, history.");
  options.positional("VERB", arguments.verb, true, "list, preflight, run, drift or history")
      .positionals("BENCHMARK", arguments.benchmarks, false, "names; see bench list")
      .texts("--param", arguments.parameters, "NAME=VALUE; repeatable")
      .text("--device", arguments.device, "mount point, interface, ...; else the default")
      .text("--scratch", arguments.scratch, "folder for temporary files; else the current one")
      .integer("--repeat", arguments.repeat, "run: how often")
      .text("--node", arguments.node, "node_id; run: else the host's name")
      .text("--cluster", arguments.cluster, "cluster tag of the results")
      .integer("--fresh", arguments.fresh_runs, "drift: the newest runs that are judged")
      .number("--min-effect", arguments.min_effect, "drift: smallest share that counts")
      .flag("--no-store", arguments.no_store, "run: print only")
      .choice("--format", arguments.format, {"table", "json", "jsonl"}, "how to print");
  arguments.where.declare(options);
  if (!TRY(options.parse(words, environment.out))) return Exit::ok;
  if (arguments.verb == "list") return list(environment.out);
  if (arguments.verb == "preflight") return preflight(arguments, environment);
  if (arguments.verb == "run") return run_all(arguments, environment);
  if (arguments.verb == "drift") return drift(arguments, environment);
  if (arguments.verb == "history") return history(arguments, environment);
  return Error{ErrorCode::invalid_input,
               "bench knows list, preflight, run, drift and history, not '" + arguments.verb + "'"};
}

}  // namespace

Command bench() { return {.summary = "measure this node, and compare it with itself", .run = run}; }

}  // namespace auscult::cli
