#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "base/process.h"
#include "bench/benchmark.h"
#include "bench/host_tree.h"

namespace auscult::bench {
namespace {

Result<Run> run_storage(const HostTree& folder, model::Labels params, std::string device = "") {
  const auto table = all_benchmarks();
  return find_named(table, "storage")
      ->run({.device = std::move(device), .params = std::move(params), .scratch = folder.root()});
}

std::vector<std::string> metrics_of(const Run& run) {
  std::vector<std::string> names;
  for (const auto& measurement : run.measurements) names.push_back(measurement.metric);
  return names;
}

TEST(Storage, measures_every_metric_on_the_real_disk_and_leaves_nothing_behind) {
  if (!find_program("fio")) GTEST_SKIP() << "fio is not installed: apt-get install fio";
  const HostTree folder(testing::TempDir());

  const auto run = run_storage(folder, {{"size", "16M"}, {"runtime", "0.2"}});

  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(metrics_of(*run),
            (std::vector<std::string>{"read_iops", "write_iops", "read_p99", "write_p99",
                                      "checkpoint_write", "checkpoint_read", "dataset_read"}));
  for (const auto& measurement : run->measurements) {
    EXPECT_GT(measurement.value, 0) << measurement.metric;
  }
  EXPECT_EQ(run->device.front(), '/');
  EXPECT_TRUE(list_folder(folder.root()).empty());
}

TEST(Storage, runs_the_selected_phases_only_and_counts_its_own_io) {
  if (!find_program("fio")) GTEST_SKIP() << "fio is not installed: apt-get install fio";
  const HostTree folder(testing::TempDir());

  const auto run =
      run_storage(folder, {{"size", "16M"}, {"runtime", "0.2"}, {"phases", "randread"}});

  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(metrics_of(*run), (std::vector<std::string>{"read_iops", "read_p99"}));
  EXPECT_GT(run->own_io.reads, 0);
  EXPECT_EQ(run->own_io.read_bytes, run->own_io.reads * 4096);
  EXPECT_EQ(run->own_io.write_bytes, 16 << 20);  // the preparation
  EXPECT_EQ(model::label(run->params, "iodepth"), "32");
}

TEST(Storage, parameters_that_make_no_sense_are_refused) {
  const HostTree folder(testing::TempDir());
  const std::pair<std::string, std::string> wrong[] = {
      {"size", "0"},    {"size", "1k"}, {"runtime", "0"}, {"runtime", "nan"},   {"phases", "read"},
      {"iodepth", "0"}, {"bs", "1"},    {"direct", "2"},  {"seq_bs", "65536k"}, {"jobs", "0"}};
  for (const auto& [name, value] : wrong) {
    model::Labels params = {{"size", "16M"}};
    if (name == "size") params.clear();
    params.emplace_back(name, value);
    const auto run = run_storage(folder, params);
    ASSERT_FALSE(run) << name << "=" << value;
    EXPECT_EQ(run.error().code, ErrorCode::invalid_input) << run.error().message;
  }
}

TEST(Storage, a_missing_fio_is_not_found_and_names_the_package) {
  const HostTree folder(testing::TempDir());
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", folder.root().c_str(), 1);
  const auto run = run_storage(folder, {{"size", "4M"}, {"jobs", "1"}});
  ::setenv("PATH", path.c_str(), 1);

  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::not_found);
  EXPECT_NE(run.error().message.find("apt-get install fio"), std::string::npos)
      << run.error().message;
}

TEST(Storage, another_disk_than_the_one_asked_for_is_refused) {
  const HostTree folder(testing::TempDir());
  const auto run = run_storage(folder, {}, "/no/such/mount");
  ASSERT_FALSE(run);
  EXPECT_NE(run.error().message.find("/no/such/mount"), std::string::npos);
}

TEST(Storage, without_a_folder_it_says_what_is_missing) {
  const auto table = all_benchmarks();
  const auto run = find_named(table, "storage")->run({});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::invalid_input);
}

TEST(Storage, a_used_up_time_limit_ends_it) {
  if (!find_program("fio")) GTEST_SKIP() << "fio is not installed: apt-get install fio";
  const HostTree folder(testing::TempDir());
  const auto table = all_benchmarks();
  const auto run = find_named(table, "storage")
                       ->run({.params = {{"size", "16M"}, {"runtime", "60"}},
                              .scratch = folder.root(),
                              .max_seconds = 0.5});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(list_folder(folder.root()).empty());
}

TEST(Storage, expects_to_take_as_long_as_its_phases) {
  const auto table = all_benchmarks();
  const auto* benchmark = find_named(table, "storage");
  auto params = *complete_params("storage", {{"runtime", "2"}, {"phases", "randread,seqread"}});
  const double seconds = benchmark->expected_seconds(params);
  EXPECT_GT(seconds, 4);
  EXPECT_LT(seconds, 15);
}

}  // namespace
}  // namespace auscult::bench
