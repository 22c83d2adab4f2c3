// Writer: takes batches from many threads and commits them in groups, each batch once.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/loop.h"
#include "store/answers.h"
#include "store/engine.h"
#include "store/group.h"
#include "store/hot_store.h"
#include "store/journal.h"
#include "store/recent_batches.h"
#include "store/series_catalog.h"
#include "store/store.h"

namespace auscult::store {

// The life of a group: journaled, inserted table by table, taken out of the journal, acknowledged.
// A crash in between leaves the journal, and start() finishes the group. An insert that fails
// answers the group's batches with `unavailable`, keeps the journal and tries it again, after 100
// ms at first and at most every 5 s, while new batches are refused; five failures that are not for
// want of disk or memory move the group to journal/rejected. Its batches, when they come again, are
// written one by one, so that a bad one takes no other with it.
//
// Thread-safe after start().
class Writer {
 public:
  Writer(Engine& engine, SeriesCatalog& catalog, HotStore& hot,
         const std::filesystem::path& journal_folder, const WriterOptions& options,
         const Clock& clock);
  // Commits what is queued, or answers `unavailable` where that is not possible.
  ~Writer();

  // Finishes the groups of an earlier run, remembers recent batches, fills the catalogue and the
  // hot store, begins to write. A group that fails for want of disk or memory is left to the
  // thread. Call once.
  Result<Ok> start();

  void write(Batch batch, Done done);
  WriterStats stats() const;

 private:
  struct Pending {
    Batch batch;
    Done done;
    size_t rows = 0;
  };

  Result<Ok> load_recent();
  void run(const std::stop_token& stop);
  std::vector<Pending> take_group(const std::stop_token& stop);  // empty: asked to stop
  void wait_for_more(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  void write_group(std::vector<Pending> pending);
  void retry_first();
  void finish(const Group& group);
  void give_up(const Group& group, const Error& why);
  void refuse_queue(const Error& why);
  void answer(std::vector<Pending>& pending, const Result<Ok>& result);
  std::optional<Result<Ok>> answer_at_once(const Batch& batch);
  uint64_t next_stamp();

  Engine& engine_;
  SeriesCatalog& catalog_;
  HotStore& hot_;
  Journal journal_;
  const WriterOptions options_;
  const Clock& clock_;
  Answers answers_;

  // Of the writing thread.
  std::deque<Group> unfinished_;  // journaled; the first is tried until it is done
  int failures_ = 0;              // of the first, that were not for want of disk or memory
  std::chrono::milliseconds backoff_{0};
  uint64_t engine_epoch_ms_ = 0;  // the engine's time at clock_.monotonic() == epoch_
  std::chrono::nanoseconds epoch_{0};
  uint64_t last_stamp_ms_ = 0;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::deque<Pending> queue_;
  // Further senders of a batch that is queued or being written; an entry for each id in flight.
  std::unordered_map<std::string, std::vector<Done>> in_flight_;
  RecentBatches recent_;
  std::map<std::string, bool> suspects_;  // ids of given-up groups; true: alone, and given up again
  bool stuck_ = false;
  WriterStats stats_;

  std::optional<Loop> loop_;  // last: its thread uses what is above
};

}  // namespace auscult::store
