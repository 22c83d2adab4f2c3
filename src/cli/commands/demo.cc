// `auscult demo`: the whole loop on this host: learn, fall ill for real, notice, test, refute,
// report.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <ostream>
#include <set>

#include "base/file.h"
#include "base/loop.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/backend.h"
#include "cli/command.h"
#include "cli/demo_host.h"
#include "cli/illness.h"
#include "cli/options.h"
#include "cli/print_diagnosis.h"
#include "report/printable.h"
#include "serve/server.h"

namespace auscult::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

constexpr seconds start_patience{60};  // opening libchdb for the first time verifies its checksum
constexpr seconds listen_time{36};     // 30 points are needed for a baseline of signals
constexpr size_t baseline_runs = 9;    // with 5 fresh ones the smallest p-value is 1/2002
constexpr seconds benchmark_patience{90};
constexpr seconds measure_patience{75};  // on a machine that others use runs fail their preflight
constexpr seconds notice_patience{90};
constexpr seconds verdict_patience{120};
constexpr seconds quiet_watch{120};  // --fault none
constexpr double illness_seconds = 200;

struct Settings {
  std::string fault = "disk";
  fs::path data;
};

// What the product should find, to judge it by; the product is never told.
std::string expected_fault(const std::string& kind) {
  if (kind == "disk") return "storage_contention";
  if (kind == "cpu") return "cpu_contention";
  return "host_memory_exhaustion";
}

class Demo {
 public:
  Demo(Settings settings, Environment& environment)
      : settings_(std::move(settings)),
        environment_(environment),
        began_(environment.clock.monotonic()) {}

  Demo(const Demo&) = delete;
  Demo& operator=(const Demo&) = delete;
  ~Demo();

  Result<Exit> run();

 private:
  // Prints a line with the seconds since the demo began. What the agent sent may be in it.
  void say(const std::string& text);

  // Waits; an interrupt ends the demo through an Error, so that destructors clean up.
  Result<Ok> wait(std::chrono::milliseconds duration);

  Result<Ok> prepare_folder();
  Result<Ok> start_server();
  Result<Ok> start_agent();
  Result<std::map<std::string, std::set<std::string>>> trusted_runs();
  Result<Ok> learn();
  Result<Ok> benchmark(const std::string& name, const std::vector<std::string>& parameters);
  Result<Exit> watch_quietly();
  Result<Exit> fall_ill();
  Result<std::optional<std::string>> next_incident();
  Result<diagnose::Diagnosis> follow(const std::string& incident);
  void print_new_events(const Json& incident);
  void show(const diagnose::Diagnosis& diagnosis, std::chrono::nanoseconds since_fault);
  Exit judge(const diagnose::Diagnosis& diagnosis);

  Settings settings_;
  Environment& environment_;
  std::chrono::nanoseconds began_;
  fs::path scratch_;  // empty until it was made
  std::string node_;
  std::set<std::string> incidents_seen_;
  size_t events_printed_ = 0;  // of the incident that is followed
  std::unique_ptr<Backend> backend_;
  std::optional<Child> server_;
  std::optional<Child> agent_;
  std::optional<Child> illness_;
};

// Stops what it started: who makes the host ill first, who writes into the scratch folder before
// that goes.
Demo::~Demo() {
  illness_.reset();
  agent_.reset();
  server_.reset();
  std::error_code error;
  if (!scratch_.empty()) fs::remove_all(scratch_, error);
}

void Demo::say(const std::string& text) {
  const double elapsed =
      std::chrono::duration<double>(environment_.clock.monotonic() - began_).count();
  // Hundredths, so that the first line has no exponent.
  std::string stamp = format_number(std::round(elapsed * 100) / 100, elapsed < 10 ? 2 : 3);
  stamp.insert(0, stamp.size() < 5 ? 5 - stamp.size() : 0, ' ');
  environment_.out << '[' << stamp << " s] " << report::printable(text) << std::endl;
}

Result<Ok> Demo::wait(std::chrono::milliseconds duration) {
  if (wait_for_stop_signal(duration) != 0) {
    return Error{ErrorCode::unavailable, "interrupted: everything it started has been stopped"};
  }
  return Ok{};
}

Result<Ok> Demo::prepare_folder() {
  const fs::path marker = settings_.data / "demo.json";
  std::error_code error;
  if (fs::exists(settings_.data, error) && !fs::is_empty(settings_.data, error)) {
    if (!fs::exists(marker, error)) {
      return Error{ErrorCode::invalid_input, settings_.data.string() +
                                                 " is not empty and was not made by a demo: choose "
                                                 "another --data"};
    }
    if (serve::find_server(settings_.data)) {
      return Error{ErrorCode::unavailable, "a demo already runs in " + settings_.data.string()};
    }
    fs::remove_all(settings_.data, error);
    if (error) {
      return Error{ErrorCode::unavailable,
                   "removing " + settings_.data.string() + ": " + error.message()};
    }
  }
  TRY(claim_folder(settings_.data));
  scratch_ = settings_.data / "scratch";
  TRY(make_folder(scratch_));
  TRY(make_folder(settings_.data / "agent"));
  TRY(write_file(marker, "{\"fault\": \"" + settings_.fault + "\"}\n"));
  // The node's own permission. On a real node root writes it; here the demo's user is the node's.
  return write_file(settings_.data / "agent" / "actions.yaml",
                    "# What the server may ask of this node.\nenabled: true\nallow: [benchmark, "
                    "snapshot]\nscratch: " +
                        scratch_.string() + "\nmax_seconds: 120\n");
}

Result<Ok> Demo::start_server() {
  server_ = TRY(Child::start({environment_.program, "serve", "--data", settings_.data.string(),
                              "--otlp-port", "0", "--http-port", "0"},
                             {.output = settings_.data / "server.log"}));
  const auto deadline = environment_.clock.monotonic() + start_patience;
  while (!serve::find_server(settings_.data)) {
    if (server_->exit_status()) {
      std::string log = TRY(read_file(settings_.data / "server.log"));
      return Error{ErrorCode::unavailable, "the server ended: " + std::string(trim(log))};
    }
    if (environment_.clock.monotonic() > deadline) {
      return Error{ErrorCode::unavailable, "the server did not start within 60 s: see " +
                                               (settings_.data / "server.log").string()};
    }
    TRY(wait(std::chrono::milliseconds(100)));
  }
  backend_ = TRY(open_backend({.server = {}, .data = settings_.data.string()}, environment_));
  return Ok{};
}

Result<Ok> Demo::start_agent() {
  const auto address = TRY(serve::find_server(settings_.data));
  const std::string base = "http://" + address.address + ":";
  const std::string key(trim(TRY(read_file(settings_.data / "signing.pub"))));
  const fs::path agent = fs::path(environment_.program).parent_path() / "auscult-agent";
  const fs::path folder = settings_.data / "agent";
  agent_ = TRY(Child::start({agent.string(), "--server", base + std::to_string(address.otlp_port),
                             "--control", base + std::to_string(address.http_port), "--interval",
                             "1s", "--spool", (folder / "spool").string(), "--actions-file",
                             (folder / "actions.yaml").string(), "--server-public-key", key},
                            {.output = settings_.data / "agent.log"}));
  const auto deadline = environment_.clock.monotonic() + start_patience;
  while (node_.empty()) {
    if (agent_->exit_status()) {
      std::string log = TRY(read_file(settings_.data / "agent.log"));
      return Error{ErrorCode::unavailable, "the agent ended: " + std::string(trim(log))};
    }
    if (environment_.clock.monotonic() > deadline) {
      return Error{ErrorCode::unavailable, "nothing came from the agent within 60 s: see " +
                                               (settings_.data / "agent.log").string()};
    }
    TRY(wait(std::chrono::milliseconds(200)));
    const Json nodes = TRY(backend_->get_json("/nodes"));
    for (const Json& node : nodes["nodes"].array()) node_ = node["node_id"].string_or("");
  }
  return Ok{};
}

Result<Ok> Demo::benchmark(const std::string& name, const std::vector<std::string>& parameters) {
  std::vector<std::string> command = {environment_.program,
                                      "bench",
                                      "run",
                                      name,
                                      "--node",
                                      node_,
                                      "--data",
                                      settings_.data.string(),
                                      "--scratch",
                                      scratch_.string(),
                                      "--format",
                                      "jsonl"};
  for (const auto& parameter : parameters) {
    command.emplace_back("--param");
    command.push_back(parameter);
  }
  const fs::path log = settings_.data / "bench.log";
  Child run = TRY(Child::start(command, {.output = log}));
  const auto deadline = environment_.clock.monotonic() + benchmark_patience;
  while (!run.exit_status()) {
    auto waited = wait(std::chrono::milliseconds(50));
    if (waited && environment_.clock.monotonic() > deadline) {
      waited = Error{ErrorCode::unavailable, "benchmark " + name + " did not end within 90 s"};
    }
    if (waited) continue;
    // It has no reason to end by itself.
    run.stop(std::chrono::milliseconds(0));
    return waited.error();
  }
  if (*run.exit_status() != 0) {
    const std::string text = TRY(read_file(log));
    const std::string_view lines = trim(text);
    return Error{
        ErrorCode::unavailable,
        "benchmark " + name + ": " + report::printable(lines.substr(lines.find_last_of('\n') + 1))};
  }
  return Ok{};
}

// Run ids of the node's results that passed preflight, by benchmark.
Result<std::map<std::string, std::set<std::string>>> Demo::trusted_runs() {
  std::map<std::string, std::set<std::string>> runs;
  const Json results = TRY(backend_->get_json("/benchmarks/results", {{"node", node_}}));
  for (const Json& result : results["results"].array()) {
    if (!result["preflight"]["passed"].bool_or(false)) continue;
    runs[result["benchmark"].string_or("")].insert(result["run_id"].string_or(""));
  }
  return runs;
}

Result<Ok> Demo::learn() {
  say("listening to " + node_ + " for " + std::to_string(listen_time.count()) +
      " s: what is usual here?");
  TRY(wait(listen_time));
  say("measuring its baseline: " + std::to_string(baseline_runs) +
      " short runs each of storage (fio) and cpu_compute");
  const auto deadline = environment_.clock.monotonic() + measure_patience;
  size_t fewest = 0;
  while (fewest < baseline_runs && environment_.clock.monotonic() < deadline) {
    TRY(benchmark("storage", {"size=256M", "runtime=1", "phases=randread,seqwrite"}));
    TRY(benchmark("cpu_compute", {"seconds=1"}));
    if (environment_.terminal) environment_.err << '.' << std::flush;
    auto runs = TRY(trusted_runs());
    fewest = std::min(runs["storage"].size(), runs["cpu_compute"].size());
  }
  if (environment_.terminal) environment_.err << '\n';
  // A run that others disturbed is no baseline: say so now, not when it is missing.
  auto runs = TRY(trusted_runs());
  say("the baseline: " + std::to_string(runs["storage"].size()) + " runs of storage, " +
      std::to_string(runs["cpu_compute"].size()) + " of cpu_compute passed preflight" +
      (fewest < baseline_runs ? "; others use this machine, so experiments will decide less" : ""));
  return Ok{};
}

void Demo::print_new_events(const Json& incident) {
  const auto& events = incident["events"].array();
  for (; events_printed_ < events.size(); ++events_printed_) {
    const Json& event = events[events_printed_];
    const Json& detail = event["detail"];
    const std::string kind = event["kind"].string_or("");
    if (kind == "opened") {
      say("NOTICED  " + detail["trigger"].string_or(""));
    } else if (kind == "hypothesis") {
      const std::string why = detail["why"].string_or("");
      say("  " + detail["fault"].string_or("") + ": " + detail["to"].string_or("") +
          (detail["probability"].is_number()
               ? " (" + format_number(detail["probability"].number_or(0) * 100, 2) + "%)"
               : "") +
          (why.empty() ? "" : ", " + why));
    } else if (kind == "action_requested") {
      say("  experiment " + detail["action"].string_or("") + " " +
          detail["params"]["benchmark"].string_or(""));
    } else if (kind == "action_result") {
      say("  experiment " + detail["status"].string_or("") +
          (detail["message"].string_or("").empty() ? "" : ": " + detail["message"].string_or("")));
    }
  }
}

Result<Exit> Demo::watch_quietly() {
  say("nothing will be done to this host; watching for " + std::to_string(quiet_watch.count()) +
      " s that nothing is made up");
  const auto deadline = environment_.clock.monotonic() + quiet_watch;
  while (environment_.clock.monotonic() < deadline) {
    TRY(wait(seconds(1)));
    if (const auto incident = TRY(next_incident())) {
      say("an incident was opened: " + *incident + " (is somebody using this machine?)");
      return Exit::bad_finding;
    }
  }
  // Silence counts only if somebody was listening.
  const Json nodes = TRY(backend_->get_json("/nodes"));
  for (const Json& trigger : nodes["nodes"].array().at(0)["triggers"].array()) {
    const std::string verdict = trigger["verdict"].string_or("");
    say("  " + trigger["trigger"].string_or("") + ": " + verdict);
    if (verdict != "clear") return Exit::bad_finding;
  }
  say("no incident in " + std::to_string(quiet_watch.count()) + " s");
  return Exit::ok;
}

void Demo::show(const diagnose::Diagnosis& diagnosis, std::chrono::nanoseconds since_fault) {
  environment_.out << '\n';
  print_diagnosis(diagnosis, environment_.out);
  environment_.out << '\n';
  const fs::path report =
      settings_.data / "reports" / diagnosis.incident_id / "diagnosis-report.md";
  say("report: " + report.string());
  say("from the fault to the verdict: " +
      format_number(std::chrono::duration<double>(since_fault).count(), 3) + " s");
}

Exit Demo::judge(const diagnose::Diagnosis& diagnosis) {
  const std::string truth =
      "PID " + std::to_string(illness_->pid()) + " to cause " + expected_fault(settings_.fault);
  for (const auto& hypothesis : diagnosis.hypotheses) {
    if (hypothesis.state != diagnose::State::supported) continue;
    const bool right = hypothesis.fault == expected_fault(settings_.fault) &&
                       (hypothesis.location.pid == illness_->pid());
    say(right ? "right: the culprit is the process that the demo started, PID " +
                    std::to_string(illness_->pid())
              : "WRONG: the demo started " + truth);
    return right ? Exit::ok : Exit::bad_finding;
  }
  say("no hypothesis was supported; the demo started " + truth);
  return Exit::bad_finding;
}

// The first incident after those already seen, or nothing.
Result<std::optional<std::string>> Demo::next_incident() {
  const Json incidents = TRY(backend_->get_json("/incidents"));
  const auto& newest_first = incidents["incidents"].array();
  for (auto incident = newest_first.rbegin(); incident != newest_first.rend(); ++incident) {
    const std::string id = (*incident)["id"].string_or("");
    if (incidents_seen_.insert(id).second) return std::optional<std::string>(id);
  }
  return std::optional<std::string>();
}

// Waits for the verdict of an incident, telling its story meanwhile.
Result<diagnose::Diagnosis> Demo::follow(const std::string& incident) {
  const auto deadline = environment_.clock.monotonic() + verdict_patience;
  events_printed_ = 0;
  while (true) {
    const Json state = TRY(backend_->get_json("/incidents/" + incident));
    print_new_events(state);
    if (state["diagnosis"].is_object()) return diagnose::diagnosis_from_json(state["diagnosis"]);
    if (environment_.clock.monotonic() > deadline) {
      return Error{ErrorCode::unavailable,
                   "no verdict within 120 s: see " + (settings_.data / "server.log").string()};
    }
    TRY(wait(std::chrono::milliseconds(500)));
  }
}

// Follows incidents until one ends with a cause: what others do on this host may be noticed first.
Result<Exit> Demo::fall_ill() {
  illness_ = TRY(Child::start({environment_.program, "demo", "--be-ill", settings_.fault, "--data",
                               settings_.data.string()},
                              {.output = settings_.data / "illness.log"}));
  const auto fault_at = environment_.clock.monotonic();
  say("FAULT    " + settings_.fault + ": PID " + std::to_string(illness_->pid()) +
      " makes this host ill (the product is not told)");
  std::optional<diagnose::Diagnosis> last;
  while (environment_.clock.monotonic() - fault_at < notice_patience) {
    TRY(wait(std::chrono::milliseconds(500)));
    if (illness_->exit_status()) {
      return Error{ErrorCode::unavailable,
                   "the illness ended early: " +
                       std::string(trim(TRY(read_file(settings_.data / "illness.log"))))};
    }
    const auto incident = TRY(next_incident());
    if (!incident) continue;
    last = TRY(follow(*incident));
    const auto since_fault = environment_.clock.monotonic() - fault_at;
    show(*last, since_fault);
    if (last->verdict == "fault") {
      illness_->stop();
      return judge(*last);
    }
    say("no cause was found for it; watching on");
  }
  if (last) return judge(*last);
  const Json nodes = TRY(backend_->get_json("/nodes"));
  return Error{ErrorCode::unavailable,
               "nothing was noticed within 90 s; the triggers say " + nodes.dump()};
}

Result<Exit> Demo::run() {
  TRY(prepare_folder());
  say("starting server and agent on this host, data in " + settings_.data.string());
  TRY(start_server());
  TRY(start_agent());
  TRY(learn());
  return settings_.fault == "none" ? watch_quietly() : fall_ill();
}

Result<Exit> run(const std::vector<std::string>& arguments, Environment& environment) {
  Settings settings;
  std::string data = "/var/tmp/auscult-demo";
  std::string be_ill_kind;
  Options options(
      "demo",
      "Learn this host's baseline, make it ill for real, notice, test three hypotheses, "
      "refute, report. Takes 2 to 4 minutes.");
  options.choice("--fault", settings.fault, {"disk", "cpu", "memory", "none"}, "the illness")
      .text("--data", data, "folder for everything it writes; wiped at the next demo")
      .choice("--be-ill", be_ill_kind, {"disk", "cpu", "memory"},
              "be the process that causes the illness (the demo starts it)");
  if (!TRY(options.parse(arguments, environment.out))) return Exit::ok;
  settings.data = fs::absolute(data);
  if (!be_ill_kind.empty()) {
    TRY(be_ill(
        {.kind = be_ill_kind, .scratch = settings.data / "scratch", .seconds = illness_seconds}));
    return Exit::ok;
  }
  TRY(claim_folder(settings.data));
  TRY(check_demo_host(settings.fault, settings.data, "/"));
  return Demo(settings, environment).run();
}

}  // namespace

Command demo() {
  return {.summary = "see the whole loop on this host", .handles_stop_signals = true, .run = run};
}

}  // namespace auscult::cli
