#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "actions/executor.h"
#include "base/process.h"
#include "bench/host_tree.h"

namespace auscult::actions {
namespace {

ActionResult run(std::string_view params, const std::filesystem::path& root = "/") {
  const ActionRequest request{.id = "a1",
                              .action_class = "snapshot",
                              .action = "process_snapshot",
                              .target = "n1",
                              .params = *Json::parse(params)};
  return execute(request, {.root = root, .clock = &system_clock()});
}

// The entry of a process in a list, or null.
const Json& entry_of(const Json& list, int64_t pid) {
  static const Json absent;
  for (const Json& entry : list.array()) {
    if (entry["pid"].int_or(0) == pid) return entry;
  }
  return absent;
}

TEST(ProcessSnapshot, names_a_process_that_burns_cpu) {
  auto child = Child::start({"sh", "-c", "while :; do :; done"}, {});
  ASSERT_TRUE(child) << child.error().message;

  const auto outcome = run(R"({"seconds":1,"top":50})");

  ASSERT_EQ(outcome.status, "done") << outcome.message;
  const Json& entry = entry_of(outcome.result["by_cpu"], child->pid());
  ASSERT_TRUE(entry.is_object()) << outcome.result["by_cpu"].dump(1);
  EXPECT_GT(entry["cpu_cores"].number_or(0), 0.05);
  EXPECT_NE(entry["command"].string_or("").find("while"), std::string::npos);
  EXPECT_EQ(entry["self"], Json(true));  // a child of this process
  EXPECT_GT(outcome.result["mem_total_bytes"].number_or(0), 0);
  EXPECT_GE(outcome.result["cpus"].int_or(0), 1);
}

TEST(ProcessSnapshot, names_a_process_that_writes) {
  const bench::HostTree folder(testing::TempDir());
  const std::string file = (folder.root() / "file").string();
  // Written anew and over again: bounded in size, and dirty pages all the time.
  auto child = Child::start({"sh", "-c",
                             "while :; do dd if=/dev/zero of='" + file +
                                 "' bs=1M count=8 conv=notrunc,fsync 2>/dev/null; done"},
                            {});
  ASSERT_TRUE(child) << child.error().message;

  const auto outcome = run(R"({"seconds":1,"top":100})");

  ASSERT_EQ(outcome.status, "done") << outcome.message;
  // dd is a child of the shell and lives shortly: one of the two carries the bytes.
  const auto& list = outcome.result["by_io"].array();
  const bool found = std::any_of(list.begin(), list.end(), [&](const Json& entry) {
    return entry["self"] == Json(true) && entry["write_bytes_per_second"].number_or(0) > 0;
  });
  if (!found && list.empty()) GTEST_SKIP() << "this host does not account I/O to processes";
  EXPECT_TRUE(found) << outcome.result["by_io"].dump(1);
}

TEST(ProcessSnapshot, lists_are_sorted_and_no_longer_than_asked) {
  const auto outcome = run(R"({"seconds":0.1,"top":2})");
  ASSERT_EQ(outcome.status, "done") << outcome.message;
  const auto& list = outcome.result["by_rss"].array();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_GE(list[0]["rss_bytes"].number_or(0), list[1]["rss_bytes"].number_or(0));
}

TEST(ProcessSnapshot, a_process_that_is_not_ours_is_not_marked) {
  const auto outcome = run(R"({"seconds":0.1,"top":100})");
  ASSERT_EQ(outcome.status, "done") << outcome.message;
  const Json& parent = entry_of(outcome.result["by_rss"], ::getppid());
  if (parent.is_null()) GTEST_SKIP() << "our parent is not among the hundred largest";
  EXPECT_EQ(parent["self"], Json(false));
  EXPECT_EQ(entry_of(outcome.result["by_rss"], ::getpid())["self"], Json(true));
}

TEST(ProcessSnapshot, shows_the_real_disks) {
  const auto outcome = run(R"({"seconds":0.1})");
  ASSERT_EQ(outcome.status, "done") << outcome.message;
  for (const Json& device : outcome.result["devices"].array()) {
    EXPECT_FALSE(device["device"].string_or("").empty());
    EXPECT_GE(device["busy_ratio"].number_or(-1), 0);
    EXPECT_LE(device["busy_ratio"].number_or(2), 1);
  }
}

TEST(ProcessSnapshot, wrong_parameters_are_refused) {
  for (const auto* params : {R"({"seconds":0})", R"({"seconds":31})", R"({"seconds":"x"})",
                             R"({"top":0})", R"({"top":101})", R"({"top":1.5})"}) {
    EXPECT_EQ(run(params).status, "refused") << params;
  }
}

TEST(ProcessSnapshot, says_for_how_many_processes_io_could_be_read) {
  bench::HostTree host(testing::TempDir());
  const auto stat = [](int pid) {
    return std::to_string(pid) + " (p) S 1 1 1 0 -1 0 0 0 0 0 5 5 0 0 20 0 1 0 100 1000 10 0\n";
  };
  host.write("proc/stat", "cpu 1 1 1 1\nbtime 1796117400\n");
  for (const int pid : {10, 11, 12, 13})
    host.write("proc/" + std::to_string(pid) + "/stat", stat(pid));
  host.write("proc/11/io", "read_bytes: 4096\nwrite_bytes: 0\n");

  const auto outcome = run(R"({"seconds":0.1})", host.root());

  ASSERT_EQ(outcome.status, "done") << outcome.message;
  EXPECT_EQ(outcome.result["io_readable_ratio"].number_or(-1), 0.25);
}

TEST(ProcessSnapshot, an_empty_host_is_a_failure_and_no_empty_list) {
  const bench::HostTree empty(testing::TempDir());
  EXPECT_EQ(run(R"({"seconds":0.1})", empty.root()).status, "failed");
}

}  // namespace
}  // namespace auscult::actions
