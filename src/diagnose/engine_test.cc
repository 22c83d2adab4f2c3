#include "diagnose/engine.h"

#include <gtest/gtest.h>

#include <set>

#include "diagnose/reason.h"
#include "diagnose/testing.h"

namespace auscult::diagnose {
namespace {

using testing::series;

// Ninety seconds of a node: calm for 69, then whatever the rates say.
struct Node {
  std::string io = "0.02x90";
  std::string cpu = "0.05x90";
  std::string bytes = "1000x90";
  std::string busy = "0.05x90";
  std::string available = "80x90";
};

void add_node(store::Store& store, const Node& node) {
  testing::add_counter(store, "node_pressure_io_waiting_seconds_total", {}, series(node.io));
  testing::add_counter(store, "node_pressure_cpu_waiting_seconds_total", {}, series(node.cpu));
  testing::add_counter(store, "node_pressure_memory_waiting_seconds_total", {}, series("0x90"));
  testing::add_counter(store, "node_disk_io_time_seconds_total", {{"device", "sda"}},
                       series(node.busy));
  testing::add_counter(store, "node_disk_read_bytes_total", {{"device", "sda"}},
                       series(node.bytes));
  testing::add_gauge(store, "node_memory_MemAvailable_bytes", {}, series(node.available));
  testing::add_gauge(store, "node_memory_MemTotal_bytes", {}, series("100x90"));
  testing::add_counter(store, "node_cpu_seconds_total", {{"cpu", "0"}, {"mode", "idle"}},
                       series("0.9x90"));
  testing::add_counter(store, "node_cpu_seconds_total", {{"cpu", "0"}, {"mode", "user"}},
                       series("0.1x90"));
  store::Batch batch;
  batch.logs.push_back({.timestamp_ns = testing::start_ns,
                        .source = "kernel",
                        .body = "eth0: link up",
                        .trace_id = {},
                        .span_id = {},
                        .attributes = {},
                        .tags = {.node_id = "node1"}});
  ASSERT_TRUE(store.write_and_wait(std::move(batch)));
}

// Nine trusted runs of each benchmark.
void add_baselines(store::Store& store) {
  store::Batch batch;
  const auto add = [&](const std::string& benchmark, const std::string& metric, double value,
                       int run) {
    batch.results.push_back({.run_id = benchmark + std::to_string(run),
                             .timestamp_ns = testing::start_ns + run * ns_per_s,
                             .benchmark = benchmark,
                             .metric = metric,
                             .value = value * (1 + run * 0.001),
                             .unit = {},
                             .device = benchmark == "storage" ? "/" : "cpu",
                             .tags = {.node_id = "node1"},
                             .params = {{benchmark == "storage" ? "runtime" : "seconds", "1"}}});
  };
  for (int run = 0; run < 9; ++run) {
    add("storage", "read_iops", 100'000, run);
    add("storage", "checkpoint_write", 1'000, run);
    add("cpu_compute", "gflops", 100, run);
  }
  ASSERT_TRUE(store.write_and_wait(std::move(batch)));
}

// A node on which "hog" has the disk: the agent's answers.
Result<actions::ActionResult> hogged_disk(const actions::ActionRequest& request, int64_t now_ns) {
  actions::ActionResult result{.id = request.id, .status = "done", .message = {}, .result = {}};
  if (request.action == "process_snapshot") {
    result.result = *Json::parse(R"({"cpus":2,"mem_total_bytes":100e9,"mem_available_bytes":80e9,
      "by_io":[{"pid":42,"name":"hog","command":"hog --disk","read_bytes_per_second":0,
                "write_bytes_per_second":9e8,"cpu_cores":0.2,"rss_bytes":1e6}],
      "by_cpu":[{"pid":42,"name":"hog","command":"hog --disk","cpu_cores":0.2}],"by_rss":[],
      "devices":[{"device":"sda","read_bytes_per_second":0,"write_bytes_per_second":9.1e8}]})");
    return result;
  }
  Json results{Json::Array{}};
  for (int run = 0; run < 3; ++run) {
    for (const auto& [metric, value] :
         {std::pair{"read_iops", 20'000.0}, {"checkpoint_write", 100.0}}) {
      results.push(model::to_json({.run_id = "now" + std::to_string(run),
                                   .timestamp_ns = now_ns,
                                   .benchmark = "storage",
                                   .metric = metric,
                                   .value = value,
                                   .unit = {},
                                   .device = "/",
                                   .tags = {.node_id = "node1"},
                                   .params = {{"runtime", "1"}}}));
    }
  }
  result.result = Json(Json::Object{{"results", std::move(results)}});
  result.result.set("device_counters", *Json::parse(R"([{"device":"sda","seconds":2,"reads":40000,
      "writes":1600,"read_bytes":163840000,"write_bytes":1.4e9}])"));
  return result;
}

struct Case {
  store::MemoryStore store;
  ManualClock clock{testing::start_ns + 91 * ns_per_s};
  std::vector<actions::ActionRequest> requests;

  Illness illness() const {
    return {.incident_id = "inc-1",
            .node_id = "node1",
            .trigger = "tasks wait for I/O",
            .trigger_name = "io_pressure",
            .started_at_ns = testing::start_ns + 70 * ns_per_s,
            .opened_at_ns = testing::start_ns + 80 * ns_per_s,
            .baseline = {testing::start_ns, testing::start_ns + 60 * ns_per_s}};
  }

  Diagnosis run(bool with_actions) {
    EngineOptions options{.faults = *load_faults(),
                          .channel = {},
                          .program = "auscult",
                          .data_folder = "/data",
                          .progress = {},
                          .disturbs = {}};
    if (with_actions) {
      options.channel = [this](const actions::ActionRequest& request) {
        requests.push_back(request);
        clock.advance(std::chrono::seconds(2));
        return hogged_disk(request, clock.now_ns());
      };
    }
    const auto diagnosis = diagnose(illness(), store, clock, options);
    EXPECT_TRUE(diagnosis) << diagnosis.error().message;
    return *diagnosis;
  }
};

const Hypothesis& find(const Diagnosis& diagnosis, const std::string& fault) {
  for (const auto& one : diagnosis.hypotheses) {
    if (one.fault == fault) return one;
  }
  ADD_FAILURE() << fault << " is not among the hypotheses";
  return diagnosis.hypotheses.front();
}

TEST(Engine, finds_the_hog_and_refutes_the_slow_disk_by_experiment) {
  Case test;
  add_node(test.store,
           {.io = "0.02x69 0.95x21", .bytes = "1000x69 900000000x21", .busy = "0.05x69 1x21"});
  add_baselines(test.store);

  const Diagnosis diagnosis = test.run(true);

  EXPECT_EQ(diagnosis.verdict, "fault");
  ASSERT_EQ(diagnosis.hypotheses.size(), top_hypotheses);
  const auto& found = diagnosis.hypotheses.front();
  EXPECT_EQ(found.fault, "storage_contention");
  EXPECT_EQ(found.state, State::supported);
  EXPECT_EQ(found.location.pid, 42);
  EXPECT_EQ(found.location.command, "hog --disk");
  EXPECT_EQ(found.location.device, "sda");
  EXPECT_EQ(find(diagnosis, "storage_device_slow").state, State::refuted);
}

TEST(Engine, a_rerun_sees_the_newest_sample_too) {
  Case test;
  add_node(test.store, {});

  const Diagnosis diagnosis = test.run(false);

  // Windows end before their end: the sample of second 89 lies in one that ends a millisecond
  // later.
  const auto end = " --param end=" + format_time(testing::start_ns + 89 * ns_per_s + 1'000'000);
  EXPECT_NE(diagnosis.hypotheses.front().evidence.front().rerun.find(end), std::string::npos)
      << diagnosis.hypotheses.front().evidence.front().rerun;
}

TEST(Engine, walks_through_proposed_testing_and_a_conclusion_and_keeps_every_step) {
  Case test;
  add_node(test.store,
           {.io = "0.02x69 0.95x21", .bytes = "1000x69 900000000x21", .busy = "0.05x69 1x21"});
  add_baselines(test.store);

  const Diagnosis diagnosis = test.run(true);

  const auto& slow = find(diagnosis, "storage_device_slow");
  ASSERT_EQ(slow.transitions.size(), 2U);
  EXPECT_EQ(slow.transitions[0].to, State::testing);
  EXPECT_EQ(slow.transitions[1].to, State::refuted);
  EXPECT_FALSE(slow.transitions[1].evidence.empty());
  std::set<std::string> kinds;
  const auto events = test.store.read_events("inc-1");
  for (const auto& event : *events) kinds.insert(event.kind);
  EXPECT_EQ(kinds, (std::set<std::string>{event::hypothesis, event::action_requested,
                                          event::action_result, event::verdict}));
}

TEST(Engine, runs_of_an_experiment_never_become_a_baseline) {
  Case test;
  add_node(test.store, {.io = "0.02x69 0.95x21", .busy = "0.05x69 1x21"});
  add_baselines(test.store);
  test.run(true);

  const auto results = test.store.read_results(
      {.node_id = "node1",
       .benchmark = "storage",
       .range = {testing::start_ns + 91 * ns_per_s, testing::start_ns + 500 * ns_per_s},
       .trusted_only = false});
  ASSERT_FALSE(results->empty());
  for (const auto& result : *results) EXPECT_FALSE(result.preflight.passed);
}

TEST(Engine, the_same_experiment_is_asked_of_the_node_once) {
  Case test;
  add_node(test.store, {.io = "0.02x69 0.95x21", .busy = "0.05x69 1x21"});
  add_baselines(test.store);
  test.run(true);
  std::set<std::string> actions;
  for (const auto& request : test.requests) {
    EXPECT_TRUE(actions.insert(request.action + request.params.canonical()).second)
        << request.action;
    EXPECT_GT(request.expires_at_ns, request.issued_at_ns);
  }
}

TEST(Engine, a_rerun_command_names_the_task_with_all_its_parameters) {
  Case test;
  add_node(test.store, {.io = "0.02x69 0.95x21", .busy = "0.05x69 1x21"});
  add_baselines(test.store);
  const Diagnosis diagnosis = test.run(true);
  for (const auto& hypothesis : diagnosis.hypotheses) {
    for (const auto& evidence : hypothesis.evidence) {
      EXPECT_TRUE(evidence.rerun.starts_with("auscult diagnose --task " + evidence.task +
                                             " --data /data --param "))
          << evidence.rerun;
    }
  }
}

TEST(Engine, a_benchmark_of_another_disk_than_the_sick_one_decides_nothing) {
  Case test;
  add_node(test.store, {.io = "0.02x69 0.95x21", .busy = "0.05x69 0.5x21"});
  testing::add_counter(test.store, "node_disk_io_time_seconds_total", {{"device", "sdb"}},
                       series("0.05x69 1x21"));
  add_baselines(test.store);

  const Diagnosis diagnosis = test.run(true);  // the agent measures sda, sdb is the busy one

  EXPECT_NE(find(diagnosis, "storage_device_slow").state, State::refuted);
  bool said = false;
  for (const auto& missing : diagnosis.missing) {
    said =
        said || missing.find("could only run on sda, the trouble is on sdb") != std::string::npos;
  }
  EXPECT_TRUE(said);
}

TEST(Engine, a_healthy_node_is_not_disturbed_by_experiments) {
  Case test;
  add_node(test.store, {});
  add_baselines(test.store);
  Illness illness = test.illness();
  illness.alerted = false;
  int experiments = 0;
  const EngineOptions options{.faults = *load_faults(),
                              .channel =
                                  [&](const actions::ActionRequest& request) {
                                    ++experiments;
                                    return hogged_disk(request, test.clock.now_ns());
                                  },
                              .program = "auscult",
                              .data_folder = "/data",
                              .progress = {},
                              .disturbs = {}};
  ASSERT_TRUE(diagnose(illness, test.store, test.clock, options));
  EXPECT_EQ(experiments, 0);
}

TEST(Engine, an_experiment_is_announced_before_it_begins) {
  Case test;
  add_node(test.store, {.io = "0.02x69 0.95x21", .busy = "0.05x69 1x21"});
  std::vector<std::string> order;
  const EngineOptions options{
      .faults = *load_faults(),
      .channel =
          [&](const actions::ActionRequest& request) {
            order.emplace_back("act");
            return hogged_disk(request, test.clock.now_ns());
          },
      .program = "auscult",
      .data_folder = "/data",
      .progress = {},
      .disturbs = [&](const std::string&, store::TimeRange) { order.emplace_back("quiet"); }};
  ASSERT_TRUE(diagnose(test.illness(), test.store, test.clock, options));
  ASSERT_GE(order.size(), 3U);
  EXPECT_EQ(order[0], "quiet");
  EXPECT_EQ(order[1], "act");
  EXPECT_EQ(order[2], "quiet");
}

TEST(Engine, without_actions_it_says_what_was_not_tried) {
  Case test;
  add_node(test.store,
           {.io = "0.02x69 0.95x21", .bytes = "1000x69 900000000x21", .busy = "0.05x69 1x21"});
  add_baselines(test.store);

  const Diagnosis diagnosis = test.run(false);

  bool said = false;
  for (const auto& missing : diagnosis.missing) {
    said = said || missing.find("no experiments are made here") != std::string::npos;
  }
  EXPECT_TRUE(said);
  for (const auto& hypothesis : diagnosis.hypotheses) {
    EXPECT_NE(hypothesis.state, State::testing) << hypothesis.fault;
    for (const auto& action : hypothesis.actions) EXPECT_EQ(action.status, "skipped");
  }
}

TEST(Engine, a_node_without_data_is_no_data_even_when_an_alert_says_otherwise) {
  Case test;
  EXPECT_EQ(test.run(false).verdict, "no_data");
}

TEST(Engine, a_calm_node_that_was_asked_about_is_healthy_and_supports_nothing) {
  Case test;
  add_node(test.store, {});
  EngineOptions options{.faults = *load_faults(),
                        .channel = {},
                        .program = "auscult",
                        .data_folder = "/data",
                        .progress = {},
                        .disturbs = {}};
  Illness illness = test.illness();
  illness.alerted = false;
  const auto diagnosis = diagnose(illness, test.store, test.clock, options);
  ASSERT_TRUE(diagnosis) << diagnosis.error().message;
  EXPECT_EQ(diagnosis->verdict, "healthy");
  for (const auto& hypothesis : diagnosis->hypotheses) {
    EXPECT_LT(hypothesis.probability, 0.5);
    EXPECT_NE(hypothesis.state, State::supported);
  }
}

TEST(Engine, a_question_whose_other_answer_weighs_nothing_supports_no_cause) {
  for (const auto& [weight_of_clear, verdict] : {std::pair{0.0, "unknown"}, {-0.1, "fault"}}) {
    Case test;
    add_node(test.store, {.io = "0.02x69 0.95x21"});
    const Question question{.id = "io_pressure",
                            .task = "check_metric",
                            .parameters = {{"signal", "io_pressure_ratio"}},
                            .found = {.log_odds = 2, .because = {}},
                            .clear = {.log_odds = weight_of_clear, .because = {}}};
    Fault fault;
    fault.id = "storage_contention";
    fault.questions = {question};
    const EngineOptions options{.faults = {fault},
                                .channel = {},
                                .program = "auscult",
                                .data_folder = "/data",
                                .progress = {},
                                .disturbs = {}};

    const auto diagnosis = diagnose(test.illness(), test.store, test.clock, options);

    ASSERT_TRUE(diagnosis) << diagnosis.error().message;
    EXPECT_EQ(diagnosis->hypotheses[0].evidence[0].verdict(), "supports");
    EXPECT_EQ(diagnosis->verdict, verdict) << weight_of_clear;
  }
}

TEST(Engine, a_store_that_fails_is_an_error_not_a_verdict) {
  Case test;
  add_node(test.store, {});
  test.store.fail_writes(Error{ErrorCode::unavailable, "disk full"});
  EngineOptions options{.faults = *load_faults(),
                        .channel = {},
                        .program = "auscult",
                        .data_folder = "/data",
                        .progress = {},
                        .disturbs = {}};
  EXPECT_FALSE(diagnose(test.illness(), test.store, test.clock, options));
}

}  // namespace
}  // namespace auscult::diagnose
