#include "cli/illness.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/clock.h"
#include "base/file.h"
#include "base/loop.h"
#include "store/test_folder.h"

namespace auscult::cli {
namespace {

constexpr double gib = 1024.0 * 1024 * 1024;

TEST(Illness, leaves_a_tenth_of_the_memory_and_2_gib_at_least) {
  EXPECT_EQ(memory_floor_bytes(8 * gib), 2 * gib);
  EXPECT_EQ(memory_floor_bytes(20 * gib), 2 * gib);
  EXPECT_EQ(memory_floor_bytes(512 * gib), 51.2 * gib);
}

TEST(Illness, of_the_disk_ends_by_itself_and_leaves_nothing_behind) {
  const store::TestFolder folder(testing::TempDir(), "illness_disk");

  const auto done = be_ill({.kind = "disk", .scratch = folder.path() / "scratch", .seconds = 1});

  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(list_folder(folder.path() / "scratch").empty());
}

TEST(Illness, of_the_cpu_burns_it_and_ends_by_itself) {
  rusage before{};
  ::getrusage(RUSAGE_SELF, &before);
  const auto begin = system_clock().monotonic();

  ASSERT_TRUE(be_ill({.kind = "cpu", .scratch = {}, .seconds = 1}));

  rusage after{};
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(system_clock().monotonic() - begin, std::chrono::seconds(30));
  const auto ms = [](const rusage& usage) {
    return usage.ru_utime.tv_sec * 1000 + usage.ru_utime.tv_usec / 1000;
  };
  EXPECT_GT(ms(after) - ms(before), 100);
}

TEST(Illness, ends_at_sigterm) {
  sigset_t stop;
  sigset_t before;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &stop, &before);  // the child has it from its first instruction
  const auto begin = system_clock().monotonic();
  const pid_t child = ::fork();
  if (child == 0) {
    block_stop_signals();
    ::_exit(be_ill({.kind = "cpu", .scratch = {}, .seconds = 60}) ? 0 : 1);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASSERT_GT(child, 0);

  ::kill(child, SIGTERM);

  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_LT(system_clock().monotonic() - begin, std::chrono::seconds(50));
}

TEST(Illness, of_another_kind_is_refused) {
  const auto done = be_ill({.kind = "plague", .scratch = {}, .seconds = 1});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::invalid_input);
}

}  // namespace
}  // namespace auscult::cli
