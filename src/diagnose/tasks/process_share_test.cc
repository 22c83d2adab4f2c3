#include <gtest/gtest.h>

#include "diagnose/testing.h"

namespace auscult::diagnose {
namespace {

Json process(int pid, const std::string& name, double write_rate, bool self = false) {
  return Json(Json::Object{{"pid", pid},
                           {"name", name},
                           {"command", name + " --run"},
                           {"cpu_cores", 0.1},
                           {"rss_bytes", 1000.0},
                           {"read_bytes_per_second", 0.0},
                           {"write_bytes_per_second", write_rate},
                           {"self", self}});
}

Json snapshot(Json processes, double device_bytes) {
  return Json(Json::Object{
      {"cpus", 2},
      {"mem_total_bytes", 10000.0},
      {"mem_available_bytes", 8000.0},
      {"by_io", std::move(processes)},
      {"devices",
       Json(Json::Array{Json(Json::Object{{"device", "sda"},
                                          {"read_bytes_per_second", 0.0},
                                          {"write_bytes_per_second", device_bytes}})})}});
}

Finding ask(store::Store& store) {
  const auto finding =
      run_task("process_share",
               {{"incident", "i"}, {"action", "i.a1"}, {"resource", "io"}, {"device", "sda"}},
               testing::context(store));
  EXPECT_TRUE(finding) << finding.error().message;
  return *finding;
}

TEST(ProcessShare, names_the_process_that_has_most_of_the_disk) {
  store::MemoryStore store;
  testing::add_action_result(
      store, "i", "i.a1", "done",
      snapshot(Json(Json::Array{process(77, "hog", 900), process(5, "cron", 10)}), 1000));

  const Finding finding = ask(store);

  EXPECT_EQ(finding.answer, Answer::found);
  EXPECT_NEAR(finding.value, 0.9, 1e-12);
  EXPECT_EQ(finding.detail["pid"], Json(77));
  EXPECT_NE(finding.statement.find("PID 77 (hog --run)"), std::string::npos) << finding.statement;
}

TEST(ProcessShare, workers_of_one_program_are_one_culprit) {
  store::MemoryStore store;
  testing::add_action_result(
      store, "i", "i.a1", "done",
      snapshot(Json(Json::Array{process(77, "loader", 300), process(78, "loader", 290),
                                process(5, "cron", 310)}),
               1000));

  const Finding finding = ask(store);

  EXPECT_EQ(finding.answer, Answer::found);
  EXPECT_NEAR(finding.value, 0.59, 1e-12);
  EXPECT_EQ(finding.detail["processes"], Json(2));
}

TEST(ProcessShare, our_own_agent_is_not_a_suspect) {
  store::MemoryStore store;
  testing::add_action_result(
      store, "i", "i.a1", "done",
      snapshot(Json(Json::Array{process(77, "auscult-agent", 900, true)}), 1000));
  EXPECT_EQ(ask(store).answer, Answer::clear);
}

TEST(ProcessShare, a_refused_action_is_no_data_and_says_why) {
  store::MemoryStore store;
  testing::add_action_result(store, "i", "i.a1", "refused", Json());
  const Finding finding = ask(store);
  EXPECT_EQ(finding.answer, Answer::no_data);
  EXPECT_NE(finding.statement.find("refused: not allowed here"), std::string::npos);
}

TEST(ProcessShare, an_action_that_was_never_made_is_no_data) {
  store::MemoryStore store;
  EXPECT_EQ(ask(store).answer, Answer::no_data);
}

TEST(ProcessShare, io_that_could_not_be_read_is_no_data_rather_than_idle) {
  store::MemoryStore store;
  Json one = snapshot(Json(Json::Array{}), 1000);
  one.set("io_readable_ratio", 0.2);
  testing::add_action_result(store, "i", "i.a1", "done", one);
  EXPECT_EQ(ask(store).answer, Answer::no_data);
}

TEST(ProcessShare, with_two_busy_disks_nobody_is_accused) {
  store::MemoryStore store;
  Json one = snapshot(Json(Json::Array{process(77, "hog", 900)}), 1000);
  Json devices = one["devices"];
  devices.push(Json(Json::Object{{"device", "sdb"}, {"read_bytes_per_second", 800.0}}));
  one.set("devices", devices);
  testing::add_action_result(store, "i", "i.a1", "done", one);
  EXPECT_EQ(ask(store).answer, Answer::no_data);
}

TEST(ProcessShare, a_disk_that_is_not_in_the_snapshot_is_no_data) {
  store::MemoryStore store;
  Json one = snapshot(Json(Json::Array{process(77, "hog", 900)}), 1000);
  one.set("devices", Json(Json::Array{}));
  testing::add_action_result(store, "i", "i.a1", "done", one);
  EXPECT_EQ(ask(store).answer, Answer::no_data);
}

TEST(ProcessShare, a_disk_that_moved_nothing_has_no_owner) {
  store::MemoryStore store;
  testing::add_action_result(store, "i", "i.a1", "done", snapshot(Json(Json::Array{}), 0));
  EXPECT_EQ(ask(store).answer, Answer::clear);
}

}  // namespace
}  // namespace auscult::diagnose
