#include "base/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>

#include "base/file.h"
#include "base/text.h"

namespace auscult {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): only its literals
using std::chrono::steady_clock;

ProcessResult shell(const std::string& script, std::chrono::milliseconds timeout = 30s) {
  auto result = run_process({"sh", "-c", script}, {.timeout = timeout});
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result ? *std::move(result) : ProcessResult();
}

// Waits until the process has ended (a zombie has): at most 10 s, far beyond what it takes.
bool is_gone(pid_t pid) {
  const auto deadline = steady_clock::now() + 10s;
  while (steady_clock::now() < deadline) {
    const auto stat = read_file("/proc/" + std::to_string(pid) + "/stat");
    if (!stat || stat->find(") Z ") != std::string::npos) return true;
    ::usleep(5000);
  }
  return false;
}

TEST(Process, output_and_exit_status_are_kept_apart) {
  const auto result = shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_FALSE(result.timed_out);
}

TEST(Process, a_signal_counts_as_128_and_its_number) {
  EXPECT_EQ(shell("kill -TERM $$").exit_status, 128 + SIGTERM);
}

TEST(Process, a_timeout_kills_the_whole_group_and_keeps_the_output) {
  const auto begin = steady_clock::now();
  const auto result = shell("sleep 300 & echo $!; wait", 200ms);

  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_status, 128 + SIGKILL);
  EXPECT_LT(steady_clock::now() - begin, 30s);
  const auto sleeper = to_int(trim(result.out));
  ASSERT_TRUE(sleeper) << result.out;
  EXPECT_TRUE(is_gone(static_cast<pid_t>(*sleeper)));
}

TEST(Process, a_timeout_of_nothing_ends_too) { EXPECT_TRUE(shell("sleep 300", 0ms).timed_out); }

// Both used to be waited for without an end: who closes the pipes, and who leaves them to a child.
TEST(Process, a_program_that_closes_its_output_is_timed_out_all_the_same) {
  EXPECT_TRUE(shell("exec >&- 2>&-; sleep 300", 200ms).timed_out);
}

TEST(Process, a_child_left_behind_is_not_waited_for_but_killed) {
  const auto result = shell("sleep 300 & echo $!");

  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_TRUE(is_gone(static_cast<pid_t>(to_int(trim(result.out)).value_or(0))));
}

TEST(Process, output_beyond_the_limit_is_dropped_and_the_program_not_stopped) {
  const auto result = shell("head -c 20000000 /dev/zero; echo done >&2");
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.out.size(), size_t{16} << 20U);
  EXPECT_EQ(result.err, "done\n");
}

TEST(Process, the_output_of_a_child_does_not_follow_a_link) {
  const auto folder = fs::path(testing::TempDir()) / "process_link_test";
  fs::remove_all(folder);
  fs::create_directory(folder);
  fs::create_symlink(folder / "precious", folder / "log");
  EXPECT_FALSE(Child::start({"true"}, {.output = folder / "log"}));
  EXPECT_FALSE(fs::exists(folder / "precious"));
  fs::remove_all(folder);
}

TEST(Process, who_prints_without_end_is_timed_out) {
  EXPECT_TRUE(shell("exec cat /dev/zero", 200ms).timed_out);
}

TEST(Process, stdin_is_empty_and_sigpipe_is_as_programs_expect) {
  EXPECT_EQ(shell("cat; echo end").out, "end\n");
  ::signal(SIGPIPE, SIG_IGN);
  const auto result = shell("yes | head -n 1; grep SigIgn /proc/self/status");
  ::signal(SIGPIPE, SIG_DFL);
  EXPECT_EQ(result.out.rfind("y\n", 0), 0U);
  const auto mask = words(result.out).back();
  EXPECT_EQ(std::stoull(std::string(mask), nullptr, 16) & (1ULL << (SIGPIPE - 1U)), 0U) << mask;
}

TEST(Process, a_missing_program_is_named_with_its_package) {
  // A folder without programs; other tests of this process need the real PATH back.
  // NOLINTBEGIN(concurrency-mt-unsafe): this test has one thread
  const char* set = std::getenv("PATH");
  const std::string path = set != nullptr ? set : "/usr/bin:/bin";
  ::setenv("PATH", "/proc/self/fdinfo", 1);
  const auto fio = run_process({"fio"});
  const auto other = run_process({"auscult-no-such-program"});
  ::setenv("PATH", path.c_str(), 1);
  // NOLINTEND(concurrency-mt-unsafe)

  ASSERT_FALSE(fio);
  EXPECT_EQ(fio.error().code, ErrorCode::not_found);
  EXPECT_EQ(fio.error().message, "there is no program 'fio' in PATH: apt-get install fio");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "there is no program 'auscult-no-such-program' in PATH");
}

TEST(Process, a_program_that_cannot_be_started_is_unavailable) {
  const fs::path script = fs::path(testing::TempDir()) / "auscult_process_test.script";
  std::ofstream(script) << "#!/no/such/interpreter\n";
  fs::permissions(script, fs::perms::owner_all);
  const auto result = run_process({script.string()});
  fs::remove(script);

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::unavailable);
  EXPECT_EQ(result.error().message, "starting " + script.string() + ": No such file or directory");
}

TEST(Process, a_program_is_found_in_path_or_where_it_is_said_to_be) {
  EXPECT_TRUE(find_program("sh"));
  EXPECT_TRUE(find_program("/bin/sh"));
  EXPECT_FALSE(find_program("/bin"));
  EXPECT_FALSE(find_program("/etc/passwd"));
  EXPECT_FALSE(find_program("auscult-no-such-program"));
}

TEST(Child, runs_beside_us_until_it_is_stopped) {
  auto child = Child::start({"sleep", "300"}, {});
  ASSERT_TRUE(child) << child.error().message;
  const pid_t pid = child->pid();
  EXPECT_FALSE(child->exit_status());

  child->stop();

  EXPECT_EQ(child->exit_status(), 128 + SIGTERM);
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST(Child, is_killed_when_it_does_not_heed_sigterm) {
  const fs::path output = fs::path(testing::TempDir()) / "auscult_child_test.log";
  fs::remove(output);
  auto child = Child::start({"sh", "-c", "trap '' TERM; sleep 300 & echo $!; wait; wait"},
                            {.output = output});
  ASSERT_TRUE(child);
  const auto deadline = steady_clock::now() + 10s;
  std::string written;
  while (written.empty() && steady_clock::now() < deadline) {
    ::usleep(5000);
    if (auto content = read_file(output)) written = *std::move(content);
  }

  child->stop(50ms);

  EXPECT_EQ(child->exit_status(), 128 + SIGKILL);
  EXPECT_TRUE(is_gone(static_cast<pid_t>(to_int(trim(written)).value_or(0)))) << written;
  fs::remove(output);
}

TEST(Child, its_end_is_seen) {
  auto child = Child::start({"sh", "-c", "exit 7"}, {});
  ASSERT_TRUE(child);
  EXPECT_TRUE(is_gone(child->pid()));
  EXPECT_EQ(child->exit_status(), 7);
  EXPECT_EQ(child->exit_status(), 7);
}

TEST(Child, its_output_is_appended) {
  const fs::path output = fs::path(testing::TempDir()) / "auscult_child_output_test.log";
  std::ofstream(output) << "before\n";
  auto child = Child::start({"sh", "-c", "echo out; echo err >&2"}, {.output = output});
  ASSERT_TRUE(child);
  EXPECT_TRUE(is_gone(child->pid()));
  EXPECT_EQ(*read_file(output), "before\nout\nerr\n");
  fs::remove(output);
}

TEST(Child, goes_with_its_owner) {
  pid_t pid = 0;
  {
    auto child = Child::start({"sleep", "300"}, {});
    ASSERT_TRUE(child);
    pid = child->pid();
    const Child owner = *std::move(child);
    EXPECT_EQ(::kill(pid, 0), 0);
  }
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST(Child, dies_with_a_parent_that_was_killed) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t parent = ::fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    auto child = Child::start({"sleep", "300"}, {});
    const pid_t pid = child ? child->pid() : 0;
    if (::write(ends[1], &pid, sizeof pid) < 0) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  pid_t grandchild = 0;
  ASSERT_EQ(::read(ends[0], &grandchild, sizeof grandchild),
            static_cast<ssize_t>(sizeof grandchild));
  ASSERT_GT(grandchild, 0);
  ASSERT_EQ(::kill(grandchild, 0), 0);

  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);

  EXPECT_TRUE(is_gone(grandchild));
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace auscult
