#include "bench/fio.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/process.h"
#include "bench/host_tree.h"

namespace auscult::bench {
namespace {

std::string recorded(const std::string& name) {
  auto content = read_file("testdata/fio/" + name);
  EXPECT_TRUE(content);
  return content ? *std::move(content) : std::string();
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The expected figures are read off testdata/fio/randread.json by eye.
TEST(Fio, reads_rates_latency_and_totals_of_a_random_read) {
  const auto outcome = parse_fio(recorded("randread.json"));

  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_DOUBLE_EQ(outcome->read.iops, 1239586.826347);
  EXPECT_EQ(outcome->read.bytes_per_second, 5077347640);
  EXPECT_DOUBLE_EQ(outcome->read.p99_us, 42.752);
  EXPECT_EQ(outcome->read.operations, 621033);
  EXPECT_EQ(outcome->read.bytes, 2543751168);
  EXPECT_EQ(outcome->write.operations, 0);
}

TEST(Fio, reads_a_sequential_write) {
  const auto outcome = parse_fio(recorded("write.json"));

  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->write.bytes_per_second, 2097152000);
  EXPECT_EQ(outcome->write.operations, 16);
  EXPECT_EQ(outcome->write.bytes, 16777216);
  EXPECT_EQ(outcome->read.operations, 0);
}

TEST(Fio, notes_in_front_of_the_result_are_passed_over) {
  EXPECT_TRUE(parse_fio("note: both iodepth >= 1 and synchronous I/O engine are selected\n" +
                        recorded("write.json")));
}

TEST(Fio, output_that_is_cut_or_strange_is_corrupt) {
  const std::string whole = recorded("write.json");
  for (const std::string& output :
       {std::string(), std::string("fio: engine libaio not loadable\n"),
        whole.substr(0, whole.size() / 2), std::string("{}"), std::string(R"({"jobs":[{}]})")}) {
    const auto outcome = parse_fio(output);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::corrupt) << outcome.error().message;
  }
}

TEST(Fio, a_failed_job_is_an_error_even_with_figures_in_it) {
  std::string output = recorded("write.json");
  const std::string ok = "\"error\": 0";
  output.replace(output.find(ok), ok.size(), "\"error\": 28");

  const auto outcome = parse_fio(output);

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::unavailable);
  EXPECT_NE(outcome.error().message.find("28"), std::string::npos);
}

TEST(Fio, parallel_jobs_get_parts_of_whole_blocks) {
  const auto arguments = fio_arguments({.mode = "read",
                                        .block_bytes = 1 << 20,
                                        .size_bytes = 10 << 20,
                                        .depth = 4,
                                        .jobs = 4,
                                        .seconds = 1.5},
                                       "/x");
  EXPECT_TRUE(contains(arguments, "--size=2097152"));
  EXPECT_TRUE(contains(arguments, "--offset_increment=2097152"));
  EXPECT_TRUE(contains(arguments, "--runtime=1500ms"));
  EXPECT_TRUE(contains(arguments, "--direct=1"));
  EXPECT_TRUE(contains(arguments, "--ioengine=libaio"));
}

TEST(Fio, without_direct_io_requests_are_synchronous) {
  const auto arguments = fio_arguments(
      {.mode = "write", .block_bytes = 4096, .size_bytes = 1 << 20, .depth = 32, .direct = false},
      "/x");
  EXPECT_TRUE(contains(arguments, "--direct=0"));
  EXPECT_TRUE(contains(arguments, "--ioengine=psync"));
  EXPECT_TRUE(contains(arguments, "--iodepth=1"));
  EXPECT_TRUE(contains(arguments, "--end_fsync=1"));
  EXPECT_FALSE(contains(arguments, "--time_based"));
}

TEST(ScratchFile, has_no_name_and_takes_its_space_at_once) {
  const HostTree folder(testing::TempDir());
  const auto file = ScratchFile::create(folder.root(), 1 << 20);

  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(list_folder(folder.root()).empty());
  EXPECT_EQ(std::filesystem::file_size(file->path()), uintmax_t{1} << 20U);
}

TEST(ScratchFile, a_folder_that_is_not_there_is_named) {
  const auto file = ScratchFile::create(testing::TempDir() + "/no/such/folder", 4096);
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message.find("/no/such/folder"), std::string::npos);
}

TEST(Fio, a_job_on_a_nameless_file_runs_and_is_counted) {
  if (!find_program("fio")) GTEST_SKIP() << "fio is not installed: apt-get install fio";
  const HostTree folder(testing::TempDir());
  const auto file = ScratchFile::create(folder.root(), 1 << 20);
  ASSERT_TRUE(file) << file.error().message;

  const auto outcome = run_fio({.mode = "write",
                                .block_bytes = 64 << 10,
                                .size_bytes = 1 << 20,
                                .direct = file->supports_direct()},
                               *file, 30);

  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->write.operations, 16);
  EXPECT_EQ(outcome->write.bytes, 1 << 20);
}

TEST(Fio, one_that_takes_too_long_is_ended) {
  if (!find_program("fio")) GTEST_SKIP() << "fio is not installed: apt-get install fio";
  const HostTree folder(testing::TempDir());
  const auto file = ScratchFile::create(folder.root(), 1 << 20);
  ASSERT_TRUE(file) << file.error().message;

  const auto outcome = run_fio(
      {.mode = "randread", .size_bytes = 1 << 20, .seconds = 60, .direct = false}, *file, 0.3);

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::unavailable);
  EXPECT_NE(outcome.error().message.find("did not end"), std::string::npos);
}

}  // namespace
}  // namespace auscult::bench
