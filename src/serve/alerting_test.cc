#include "serve/alerting.h"

#include <condition_variable>

#include "diagnose/action_record.h"
#include "serve/incident.h"
#include "serve/testing.h"
#include "store/test_folder.h"

namespace auscult::serve {
namespace {

namespace event = diagnose::event;
using diagnose::testing::add_counter;
using diagnose::testing::series;

// A gate that an experiment waits at: while it is shut a diagnosis runs.
class Gate {
 public:
  Result<actions::ActionResult> pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
    return Error{ErrorCode::unavailable, "no agent"};
  }
  bool wait_for_visitor() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return waiting_ > 0; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  bool open_ = false;
};

class AlertingTest : public testing::Test {
 protected:
  AlertingTest() { engine_.data_folder = folder_.path().string(); }

  void add(const std::string& metric, const std::string& rates) {
    add_counter(store_, metric, {}, series(rates));
  }
  void use_the_real_catalogue(Gate& gate) {
    auto faults = diagnose::load_faults();
    ASSERT_TRUE(faults) << faults.error().message;
    engine_.faults = *std::move(faults);
    engine_.channel = [&gate](const actions::ActionRequest&) { return gate.pass(); };
  }

  store::TestFolder folder_{testing::TempDir(), "alerting"};
  store::MemoryStore store_;
  ManualClock clock_{api_now_ns};
  alert::Watch watch_{store_};
  diagnose::EngineOptions engine_;
};

TEST_F(AlertingTest, an_illness_becomes_an_incident_with_a_diagnosis_and_a_report) {
  add("node_pressure_io_waiting_seconds_total", "0.01x62 0.95x12");
  {
    Alerting alerting(store_, clock_, watch_, engine_);
    alerting.step();
  }

  const auto ids = *store_.incident_ids();
  ASSERT_EQ(ids.size(), 1U);
  EXPECT_NE(ids[0].find("-node1-"), std::string::npos) << ids[0];
  const auto incident = *read_incident(store_, ids[0]);
  EXPECT_EQ(incident.status, "diagnosed");
  EXPECT_EQ(incident.node_id, "node1");
  EXPECT_NE(incident.trigger.find("95%"), std::string::npos) << incident.trigger;
  EXPECT_NE(incident.trigger.find("baseline 1%"), std::string::npos) << incident.trigger;
  EXPECT_EQ(incident.events[0].detail["trigger_name"], Json("io_pressure"));
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "reports" / ids[0] / "diagnosis-report.md"));
}

TEST_F(AlertingTest, the_same_illness_is_not_opened_again) {
  add("node_pressure_io_waiting_seconds_total", "0.01x62 0.95x12");
  Alerting alerting(store_, clock_, watch_, engine_);
  for (int i = 0; i < 5; ++i) {
    alerting.step();
    clock_.advance(std::chrono::seconds(1));
  }

  EXPECT_EQ(store_.incident_ids()->size(), 1U);
}

TEST_F(AlertingTest, several_signals_of_one_illness_are_one_incident) {
  add("node_pressure_io_waiting_seconds_total", "0.01x62 0.95x12");
  add("node_pressure_cpu_waiting_seconds_total", "0.01x62 0.95x12");
  {
    Alerting alerting(store_, clock_, watch_, engine_);
    alerting.step();
  }

  EXPECT_EQ(store_.incident_ids()->size(), 1U);
}

TEST_F(AlertingTest, while_a_node_is_being_diagnosed_nothing_more_is_opened_for_it) {
  Gate gate;
  use_the_real_catalogue(gate);
  add("node_pressure_io_waiting_seconds_total", "0.01x62 0.95x12");
  {
    Alerting alerting(store_, clock_, watch_, engine_);
    alerting.step();
    ASSERT_TRUE(gate.wait_for_visitor()) << "no experiment was made";

    clock_.advance(std::chrono::seconds(1));
    add("node_pressure_cpu_waiting_seconds_total", "0.01x62 0.95x12");
    alerting.step();
    EXPECT_EQ(store_.incident_ids()->size(), 1U);
    gate.open();
  }

  EXPECT_EQ(store_.incident_ids()->size(), 1U);
}

TEST_F(AlertingTest, a_healthy_node_and_one_without_a_baseline_open_nothing) {
  add("node_pressure_io_waiting_seconds_total", "0.01x74");
  add("node_pressure_cpu_waiting_seconds_total", "0.95x12");
  Alerting alerting(store_, clock_, watch_, engine_);

  alerting.step();

  EXPECT_TRUE(store_.incident_ids()->empty());
}

TEST_F(AlertingTest, a_node_that_fell_silent_is_not_judged_by_its_last_words) {
  add("node_pressure_io_waiting_seconds_total", "0.01x62 0.95x12");
  clock_.advance(std::chrono::minutes(2));
  Alerting alerting(store_, clock_, watch_, engine_);

  alerting.step();

  EXPECT_TRUE(store_.incident_ids()->empty());
}

}  // namespace
}  // namespace auscult::serve
