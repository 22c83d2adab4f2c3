#include "store/writer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <future>

#include "base/file.h"
#include "store/fake_engine.h"
#include "store/test_folder.h"

namespace auscult::store {
namespace {

namespace fs = std::filesystem;

constexpr WriterOptions quick = {.max_delay = std::chrono::milliseconds(1)};

Batch logs(const std::string& id, size_t n = 1) {
  Batch batch{.id = id};
  for (size_t i = 0; i < n; ++i) batch.logs.push_back({.timestamp_ns = 1, .body = id});
  return batch;
}

const Error disk_full = {ErrorCode::unavailable, "no space"};
const Error bad_data = {ErrorCode::internal, "bad data"};

class WriterTest : public testing::Test {
 protected:
  void start(const WriterOptions& options = quick) {
    writer_.reset();
    writer_ = std::make_unique<Writer>(engine_, catalog_, hot_, journal_, options, system_clock());
    const auto started = writer_->start();
    ASSERT_TRUE(started) << started.error().message;
  }

  std::future<Result<Ok>> send(Batch batch) {
    auto promise = std::make_shared<std::promise<Result<Ok>>>();  // lives until it is answered
    auto future = promise->get_future();
    writer_->write(std::move(batch), [promise](Result<Ok> result) { promise->set_value(result); });
    return future;
  }

  // The answer: "ok" or its code and message.
  static std::string text(std::future<Result<Ok>> future) {
    if (future.wait_for(std::chrono::seconds(20)) != std::future_status::ready) return "no answer";
    const auto result = future.get();
    if (result) return "ok";
    return result.error().code == ErrorCode::unavailable     ? "unavailable"
           : result.error().code == ErrorCode::invalid_input ? "invalid"
                                                             : "other: " + result.error().message;
  }
  std::string sent(Batch batch) { return text(send(std::move(batch))); }

  // Sends until the answer is another than "unavailable".
  std::string sent_until_taken(const Batch& batch) {
    Sleeper sleeper;
    for (int i = 0; i < 500; ++i) {
      const std::string answer = sent(batch);
      if (answer != "unavailable") return answer;
      sleeper.sleep(std::chrono::milliseconds(20), {});
    }
    return "unavailable for 10 s";
  }

  size_t journaled() const {
    size_t n = 0;
    for (const auto& name : list_folder(journal_)) n += name.ends_with(".bin") ? 1 : 0;
    return n;
  }

  TestFolder folder_{testing::TempDir(), "writer"};
  fs::path journal_ = folder_.path() / "journal";
  FakeEngine engine_;
  SeriesCatalog catalog_{{}, system_clock()};
  HotStore hot_{catalog_, {}, system_clock()};
  std::unique_ptr<Writer> writer_;
};

TEST_F(WriterTest, answers_after_every_table_has_its_rows) {
  start();
  Batch batch = logs("a");
  batch.samples.push_back({.metric = "m", .timestamp_ns = 1, .value = 1});
  std::atomic<bool> complete = false;
  std::promise<void> answered;
  writer_->write(batch, [&](const Result<Ok>& result) {
    const auto tables = engine_.inserts();
    complete = result && tables.back() == "ingest_batches" && tables.size() == 4;
    answered.set_value();
  });
  answered.get_future().wait();
  EXPECT_TRUE(complete);
  EXPECT_EQ(journaled(), 0U);
}

TEST_F(WriterTest, a_batch_is_stored_once_however_often_it_is_sent) {
  start({.max_delay = std::chrono::milliseconds(50)});
  auto first = send(logs("a"));
  auto second = send(logs("a"));  // while the first is in flight
  EXPECT_EQ(text(std::move(first)), "ok");
  EXPECT_EQ(text(std::move(second)), "ok");
  EXPECT_EQ(sent(logs("a")), "ok");
  EXPECT_EQ(engine_.rows("logs"), 1U);
  EXPECT_EQ(writer_->stats().batches_duplicate, 2U);
  EXPECT_EQ(writer_->stats().batches_committed, 1U);
}

TEST_F(WriterTest, batches_without_an_id_are_never_the_same) {
  start();
  EXPECT_EQ(sent(logs("")), "ok");
  EXPECT_EQ(sent(logs("")), "ok");
  EXPECT_EQ(engine_.rows("logs"), 2U);
}

TEST_F(WriterTest, batches_that_come_together_are_one_group) {
  start({.max_delay = std::chrono::milliseconds(200)});
  std::vector<std::future<Result<Ok>>> answers;
  for (int i = 0; i < 50; ++i) answers.push_back(send(logs("b" + std::to_string(i))));
  for (auto& answer : answers) EXPECT_EQ(text(std::move(answer)), "ok");
  EXPECT_LE(engine_.inserts().size(), 4U);  // two tables, at most two groups
  EXPECT_EQ(engine_.rows("logs"), 50U);
}

TEST_F(WriterTest, a_group_has_a_most_of_rows) {
  start({.max_delay = std::chrono::milliseconds(100), .max_group_rows = 10});
  std::vector<std::future<Result<Ok>>> answers;
  for (int i = 0; i < 4; ++i) answers.push_back(send(logs("b" + std::to_string(i), 6)));
  for (auto& answer : answers) EXPECT_EQ(text(std::move(answer)), "ok");
  EXPECT_EQ(engine_.inserts().size(), 8U);  // four groups of two tables
}

TEST_F(WriterTest, a_full_queue_is_unavailable_and_takes_again_when_it_has_room) {
  std::promise<void> go;
  auto gate = go.get_future().share();
  engine_.on_insert([gate](const Block&) -> std::optional<Error> {
    gate.wait();
    return {};
  });
  start({.max_delay = std::chrono::milliseconds(1), .max_group_rows = 5, .max_queued_rows = 10});
  auto first = send(logs("a", 5));
  auto second = send(logs("b", 5));
  EXPECT_EQ(sent(logs("c", 5)), "unavailable");
  EXPECT_EQ(writer_->stats().rows_queued, 10U);
  EXPECT_EQ(sent(logs("d", 11)), "invalid");  // would never fit
  go.set_value();
  EXPECT_EQ(text(std::move(first)), "ok");
  EXPECT_EQ(text(std::move(second)), "ok");
  EXPECT_EQ(sent(logs("c", 5)), "ok");
  EXPECT_EQ(writer_->stats().rows_queued, 0U);
  EXPECT_EQ(writer_->stats().batches_refused, 2U);
}

TEST_F(WriterTest, a_full_disk_refuses_until_it_has_room_and_stores_once) {
  start();
  std::atomic<bool> full = true;
  engine_.on_insert([&](const Block& block) -> std::optional<Error> {
    if (full && block.table == "ingest_batches") return disk_full;
    return {};
  });
  EXPECT_EQ(sent(logs("a")), "unavailable");
  EXPECT_EQ(journaled(), 1U);
  EXPECT_EQ(sent(logs("b")), "unavailable");
  EXPECT_EQ(engine_.rows("logs"), 1U);  // of "a", not yet acknowledged
  full = false;
  EXPECT_EQ(sent_until_taken(logs("a")), "ok");
  EXPECT_EQ(sent_until_taken(logs("b")), "ok");
  EXPECT_EQ(engine_.rows("logs"), 2U);
  EXPECT_EQ(journaled(), 0U);
  EXPECT_GE(writer_->stats().groups_failed, 1U);
}

TEST_F(WriterTest, a_journal_that_cannot_be_written_is_unavailable_and_leaves_nothing) {
  start();
  fs::remove_all(journal_);
  std::ofstream(journal_) << "a file where the folder was";
  EXPECT_EQ(sent(logs("a")), "unavailable");
  EXPECT_EQ(engine_.rows("logs"), 0U);
  fs::remove(journal_);
  fs::create_directories(journal_);
  EXPECT_EQ(sent(logs("a")), "ok");
}

TEST_F(WriterTest, a_group_of_a_killed_process_is_finished_at_the_next_start) {
  start();
  engine_.on_insert([&](const Block& block) -> std::optional<Error> {
    if (block.table == "ingest_batches") return disk_full;
    return {};
  });
  EXPECT_EQ(sent(logs("a", 3)), "unavailable");
  writer_.reset();
  EXPECT_EQ(journaled(), 1U);
  engine_.on_insert({});
  start();
  EXPECT_EQ(engine_.rows("logs"), 3U);
  EXPECT_EQ(journaled(), 0U);
  EXPECT_EQ(sent(logs("a", 3)), "ok");
  EXPECT_EQ(engine_.rows("logs"), 3U);
}

TEST_F(WriterTest, starts_with_a_full_disk_and_finishes_later) {
  start();
  std::atomic<bool> full = true;
  engine_.on_insert([&](const Block&) -> std::optional<Error> {
    if (full) return disk_full;
    return {};
  });
  EXPECT_EQ(sent(logs("a")), "unavailable");
  start();
  EXPECT_EQ(sent(logs("b")), "unavailable");
  full = false;
  EXPECT_EQ(sent_until_taken(logs("b")), "ok");
  EXPECT_EQ(sent(logs("a")), "ok");
  EXPECT_EQ(engine_.rows("logs"), 2U);
}

TEST_F(WriterTest, a_bad_group_is_given_up_and_its_good_batches_go_through_alone) {
  start({.max_delay = std::chrono::milliseconds(500)});
  engine_.on_insert([](const Block& block) -> std::optional<Error> {
    if (block.data.find("poison") != std::string::npos) return bad_data;
    return {};
  });
  auto good = send(logs("good"));
  auto poison = send(logs("poison"));
  EXPECT_EQ(text(std::move(good)), "unavailable");
  EXPECT_EQ(text(std::move(poison)), "unavailable");
  EXPECT_EQ(sent_until_taken(logs("good")), "ok");
  EXPECT_EQ(sent_until_taken(logs("poison")), "invalid");
  EXPECT_EQ(sent(logs("other")), "ok");
  EXPECT_EQ(engine_.rows("logs"), 2U);
  EXPECT_EQ(list_folder(journal_ / "rejected").size(), 2U);
  EXPECT_EQ(journaled(), 0U);
}

TEST_F(WriterTest, commits_what_is_queued_when_it_ends) {
  start({.max_delay = std::chrono::seconds(60)});
  auto answer = send(logs("a"));
  writer_.reset();
  EXPECT_EQ(text(std::move(answer)), "ok");
  EXPECT_EQ(engine_.rows("logs"), 1U);
}

TEST_F(WriterTest, announces_a_series_once) {
  start();
  Batch batch{.id = "a"};
  for (int64_t i = 0; i < 10; ++i) {
    batch.samples.push_back({.metric = i % 2 == 0 ? "even" : "odd", .timestamp_ns = i, .value = 1});
  }
  EXPECT_EQ(sent(batch), "ok");
  batch.id = "b";
  EXPECT_EQ(sent(batch), "ok");
  EXPECT_EQ(engine_.rows("series"), 2U);
  EXPECT_EQ(engine_.rows("samples"), 20U);
}

TEST_F(WriterTest, refuses_times_that_cannot_be_stored) {
  start();
  Batch batch = logs("a");
  batch.logs[0].timestamp_ns = -1;
  EXPECT_EQ(sent(batch), "invalid");
  EXPECT_EQ(sent({.id = "empty"}), "ok");
  EXPECT_TRUE(engine_.inserts().empty());
}

TEST_F(WriterTest, an_answer_may_send_the_next_batch) {
  start();
  std::promise<Result<Ok>> last;
  writer_->write(logs("a"), [&](const Result<Ok>&) {
    writer_->write(logs("a"), [&](Result<Ok> result) { last.set_value(std::move(result)); });
  });
  EXPECT_EQ(text(last.get_future()), "ok");
}

}  // namespace
}  // namespace auscult::store
