#include "agent/spool.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <vector>

namespace auscult::agent {
namespace {

namespace fs = std::filesystem;

class SpoolTest : public testing::Test {
 protected:
  SpoolTest() {
    std::string pattern = testing::TempDir() + "/spool-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~SpoolTest() override {
    std::error_code error;
    fs::remove_all(folder_, error);
  }
  std::unique_ptr<Spool> open(int64_t max_bytes = 1 << 20) const {
    auto spool = Spool::open(folder_, {.max_bytes = max_bytes});
    EXPECT_TRUE(spool) << spool.error().message;
    return spool ? *std::move(spool) : nullptr;
  }
  static void append(Spool& spool, const std::string& body) {
    const auto appended = spool.append({.body = body});
    ASSERT_TRUE(appended) << appended.error().message;
  }
  static std::vector<std::string> drain(Spool& spool) {
    std::vector<std::string> bodies;
    while (const auto waiting = spool.front()) {
      bodies.push_back(waiting->record.body);
      spool.pop(*waiting);
    }
    return bodies;
  }
  std::vector<fs::path> segments() const {
    std::vector<fs::path> paths;
    for (const auto& name : list_folder(folder_)) {
      if (name.ends_with(".segment")) paths.push_back(folder_ / name);
    }
    return paths;
  }

  fs::path folder_;
};

TEST_F(SpoolTest, gives_records_in_order_and_unchanged) {
  auto spool = open();
  ASSERT_TRUE(spool->append({.signal = Signal::logs, .gzip = true, .body = {"a\0b", 3}}));
  append(*spool, "");
  append(*spool, "c");

  const auto first = spool->front();

  ASSERT_TRUE(first);
  EXPECT_EQ(first->record.signal, Signal::logs);
  EXPECT_TRUE(first->record.gzip);
  EXPECT_EQ(first->record.body, std::string("a\0b", 3));
  EXPECT_EQ(spool->stats().records, 3U);
  EXPECT_EQ(drain(*spool), (std::vector<std::string>{{"a\0b", 3}, "", "c"}));
  EXPECT_EQ(spool->stats().records, 0U);
}

TEST_F(SpoolTest, a_record_stays_until_it_is_popped) {
  auto spool = open();
  append(*spool, "a");
  spool->front();
  EXPECT_EQ(spool->front()->record.body, "a");
}

TEST_F(SpoolTest, a_restart_goes_on_after_what_was_popped) {
  {
    auto spool = open();
    append(*spool, "a");
    append(*spool, "b");
    spool->pop(*spool->front());
  }
  auto spool = open();
  append(*spool, "c");
  EXPECT_EQ(spool->stats().records, 2U);
  EXPECT_EQ(drain(*spool), (std::vector<std::string>{"b", "c"}));
}

TEST_F(SpoolTest, everything_popped_is_not_given_again_after_a_restart) {
  {
    auto spool = open();
    append(*spool, "a");
    drain(*spool);
  }
  auto spool = open();
  EXPECT_FALSE(spool->front());
  append(*spool, "b");
  EXPECT_EQ(drain(*spool), std::vector<std::string>{"b"});
}

TEST_F(SpoolTest, a_torn_tail_is_left_out_at_every_length_of_the_tear) {
  for (int cut = 1; cut < 16 + 5; ++cut) {
    fs::remove_all(folder_);
    {
      auto spool = open();
      append(*spool, "whole");
      append(*spool, "whole");
    }
    const auto segment = segments().back();
    fs::resize_file(segment, fs::file_size(segment) - static_cast<uintmax_t>(cut));

    auto spool = open();
    append(*spool, "after");
    EXPECT_EQ(drain(*spool), (std::vector<std::string>{"whole", "after"})) << cut;
  }
}

TEST_F(SpoolTest, a_changed_byte_anywhere_ends_the_segment_there) {
  {
    auto spool = open();
    append(*spool, "first");
    append(*spool, "second");
  }
  const auto segment = segments().back();
  const auto size = fs::file_size(segment);
  std::string original;
  {
    std::ifstream in(segment, std::ios::binary);
    original.assign(std::istreambuf_iterator<char>(in), {});
  }
  for (size_t at = 0; at < size; ++at) {
    std::string changed = original;
    changed[at] = static_cast<char>(changed[at] ^ 0x40);
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(segment, std::ios::binary) << changed;

    auto spool = open();
    for (const auto& body : drain(*spool)) {
      EXPECT_TRUE(body == "first" || body == "second") << "byte " << at << ": " << body;
    }
  }
}

TEST_F(SpoolTest, a_lost_position_means_sending_again_and_never_losing) {
  {
    auto spool = open();
    append(*spool, "a");
    append(*spool, "b");
    spool->pop(*spool->front());
  }
  fs::resize_file(folder_ / "position", 5);
  EXPECT_EQ(drain(*open()), (std::vector<std::string>{"a", "b"}));
}

TEST_F(SpoolTest, a_damaged_position_deletes_nothing) {
  {
    auto spool = open();
    append(*spool, "a");
    append(*spool, "b");
  }
  std::ofstream(folder_ / "position", std::ios::binary) << std::string(24, '\x7f');
  EXPECT_EQ(drain(*open()), (std::vector<std::string>{"a", "b"}));
}

TEST_F(SpoolTest, the_oldest_are_dropped_to_stay_within_the_bound_and_counted) {
  constexpr int64_t bound = 1 << 20;
  auto spool = open(bound);
  const std::string filling(20'000, 'x');
  for (int i = 0; i < 200; ++i) append(*spool, std::to_string(i) + " " + filling);

  uintmax_t on_disk = 0;
  for (const auto& path : segments()) on_disk += fs::file_size(path);
  EXPECT_LE(on_disk, static_cast<uintmax_t>(bound));
  EXPECT_EQ(spool->stats().bytes, static_cast<int64_t>(on_disk));
  const auto bodies = drain(*spool);
  EXPECT_EQ(bodies.size() + spool->stats().dropped_batches, 200U);
  EXPECT_GT(bodies.size(), 35U) << "no more is dropped than has to be";
  int expected = 200 - static_cast<int>(bodies.size());
  for (const auto& body : bodies) EXPECT_EQ(std::stoi(body), expected++);
}

TEST_F(SpoolTest, a_record_that_was_dropped_while_it_was_sent_pops_nothing_else) {
  auto spool = open();
  append(*spool, "old");
  const auto sending = spool->front();
  const std::string filling(100'000, 'x');
  for (int i = 0; i < 30; ++i) append(*spool, filling);
  const auto before = spool->stats().records;

  spool->pop(*sending);

  EXPECT_EQ(spool->stats().records, before);
}

TEST_F(SpoolTest, a_record_larger_than_the_bound_is_counted_and_nothing_else_is_lost) {
  auto spool = open();
  append(*spool, "a");
  EXPECT_FALSE(spool->append({.body = std::string(2 << 20, 'x')}));
  EXPECT_EQ(spool->stats().dropped_batches, 1U);
  EXPECT_EQ(drain(*spool), std::vector<std::string>{"a"});
}

TEST_F(SpoolTest, space_of_what_was_sent_is_given_back) {
  auto spool = open();
  const std::string filling(50'000, 'x');
  for (int i = 0; i < 100; ++i) {
    append(*spool, filling);
    drain(*spool);
  }
  EXPECT_LT(spool->stats().bytes, 300'000);
  EXPECT_EQ(spool->stats().dropped_batches, 0U);
}

TEST_F(SpoolTest, a_second_agent_on_the_same_folder_is_refused) {
  auto spool = open();
  const auto second = Spool::open(folder_, {});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("in use"), std::string::npos);
}

TEST_F(SpoolTest, a_folder_that_cannot_be_made_is_named) {
  std::ofstream(folder_ / "file") << "x";
  const auto spool = Spool::open(folder_ / "file", {});
  ASSERT_FALSE(spool);
  EXPECT_NE(spool.error().message.find((folder_ / "file").string()), std::string::npos);
}

// A disk that takes no more: the limit on the size of files stands in for it.
TEST_F(SpoolTest, a_full_disk_costs_the_batch_is_counted_and_ends_with_the_disk) {
  auto spool = open();
  append(*spool, "before");
  struct rlimit old {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit full = old;
  full.rlim_cur = 5000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);

  const auto appended = spool->append({.body = std::string(20'000, 'x')});

  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_FALSE(appended);
  EXPECT_EQ(spool->stats().dropped_batches, 1U);
  append(*spool, "after");
  EXPECT_EQ(drain(*spool), (std::vector<std::string>{"before", "after"}));
}

TEST_F(SpoolTest, an_agent_killed_while_it_writes_loses_nothing_it_had_written) {
  std::array<int, 2> done{};
  ASSERT_EQ(::pipe(done.data()), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto spool = Spool::open(folder_, {.max_bytes = 64 << 20});
    for (uint32_t i = 0; spool; ++i) {
      const bool kept = bool((*spool)->append({.body = std::to_string(i)}));
      if (!kept || ::write(done[1], &i, sizeof i) != sizeof i) ::_exit(1);
    }
    ::_exit(1);
  }
  uint32_t last = 0;
  while (last < 500) ASSERT_EQ(::read(done[0], &last, sizeof last), ssize_t{sizeof last});
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(done[1]);
  while (::read(done[0], &last, sizeof last) == ssize_t{sizeof last}) {
  }
  ::close(done[0]);

  auto spool = Spool::open(folder_, {.max_bytes = 64 << 20});

  ASSERT_TRUE(spool) << spool.error().message;
  const auto bodies = drain(**spool);
  ASSERT_GT(bodies.size(), last);
  for (size_t i = 0; i < bodies.size(); ++i) EXPECT_EQ(bodies[i], std::to_string(i));
}

}  // namespace
}  // namespace auscult::agent
