#include "store/writer.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "store/committer.h"

namespace auscult::store {
namespace {

constexpr std::chrono::milliseconds first_backoff{100};
constexpr std::chrono::milliseconds longest_backoff{5'000};

// Failures for another reason than a lack of disk or memory, before a group is given up.
constexpr int max_failures = 5;

// Senders that wait for one batch at the same time; a client has one, or two after a time-out.
constexpr size_t max_senders = 1'000;

constexpr size_t max_suspects = 100'000;

// Rows fetched at once while memory is filled at start.
constexpr size_t rows_per_fetch = 50'000;

Error unavailable(std::string message) { return {ErrorCode::unavailable, std::move(message)}; }

// The failure as a client should see it: try again.
Error to_retry(const Error& why) {
  return unavailable("not stored, send it again: " + why.message);
}

uint64_t number(const Table& table, size_t row, size_t column) {
  return to_uint(table.rows[row][column]).value_or(0);
}

}  // namespace

Writer::Writer(Engine& engine, SeriesCatalog& catalog, HotStore& hot,
               const std::filesystem::path& journal_folder, const WriterOptions& options,
               const Clock& clock)
    : engine_(engine),
      catalog_(catalog),
      hot_(hot),
      journal_(journal_folder),
      options_(options),
      clock_(clock) {}

Writer::~Writer() {
  if (loop_) {
    loop_->stop();
    // What the thread had not begun with; it may not have run at all.
    std::stop_source stopped;
    stopped.request_stop();
    run(stopped.get_token());
  }
  refuse_queue(unavailable("the store is closing"));
}

Result<Ok> Writer::start() {
  std::vector<Group> groups = TRY(journal_.load());
  // The engine's clock, which its TTL uses, not the one of the program: stamps follow it.
  const Table now = TRY(engine_.query(
      {.sql = "SELECT toUnixTimestamp64Milli(now64(3)), "
              "(SELECT toUnixTimestamp64Milli(max(committed_at)) FROM auscult.ingest_batches)",
       .parameters = {}}));
  if (now.rows.size() != 1) return Error{ErrorCode::internal, "the engine does not tell the time"};
  engine_epoch_ms_ = number(now, 0, 0);
  epoch_ = clock_.monotonic();
  last_stamp_ms_ = number(now, 0, 1);
  for (const Group& group : groups) last_stamp_ms_ = std::max(last_stamp_ms_, group.stamp_ms);
  for (Group& group : groups) {
    if (unfinished_.empty()) {
      const auto done = commit_again(engine_, group, "start" + std::to_string(next_stamp()));
      if (done) {
        finish(group);
        continue;
      }
      log_warning("a group of an earlier run waits to be stored: " + done.error().message);
      stuck_ = true;
      backoff_ = first_backoff;
    }
    unfinished_.push_back(std::move(group));
  }
  TRY(load_recent());
  loop_.emplace("store-writer", std::chrono::hours(1), [this](std::stop_token stop) { run(stop); });
  return Ok{};
}

Result<Ok> Writer::load_recent() {
  for (uint64_t offset = 0; offset < RecentBatches::max_batches; offset += rows_per_fetch) {
    const Table page = TRY(engine_.query(
        {.sql = "SELECT id, toUnixTimestamp64Milli(committed_at) FROM ("
                "SELECT id, committed_at FROM auscult.ingest_batches "
                "WHERE id != '' AND committed_at > now() - INTERVAL 1 DAY "
                "ORDER BY committed_at DESC, id LIMIT {most:UInt64}) "
                "ORDER BY committed_at, id LIMIT {page:UInt64} OFFSET {offset:UInt64}",
         .parameters = {{"most", std::to_string(RecentBatches::max_batches)},
                        {"page", std::to_string(rows_per_fetch)},
                        {"offset", std::to_string(offset)}}}));
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < page.rows.size(); ++i) recent_.add(page.rows[i][0], number(page, i, 1));
    if (page.rows.size() < rows_per_fetch) break;
  }
  return Ok{};
}

// What can be said of a batch without writing it. Call with mutex_ held.
std::optional<Result<Ok>> Writer::answer_at_once(const Batch& batch) {
  if (batch.rows() == 0) return Ok{};
  if (!batch.id.empty()) {
    if (recent_.contains(batch.id)) {
      ++stats_.batches_duplicate;
      return Ok{};
    }
    if (const auto suspect = suspects_.find(batch.id);
        suspect != suspects_.end() && suspect->second) {
      ++stats_.batches_refused;
      return Error{ErrorCode::invalid_input,
                   "the engine does not take this batch: the server's log says why"};
    }
  }
  const auto refuse = [&](std::string why) {
    ++stats_.batches_refused;
    return unavailable(std::move(why));
  };
  if (stuck_) return refuse("the store cannot write at present (disk full?): try again later");
  if (stats_.rows_queued + batch.rows() > options_.max_queued_rows) {
    return refuse("the store's queue is full: try again later");
  }
  return {};
}

void Writer::write(Batch batch, Done done) {
  auto valid = validate(batch);
  if (valid) valid = make_points(batch, catalog_);
  if (valid && batch.rows() > options_.max_queued_rows) {
    valid = Error{ErrorCode::invalid_input, "a batch of " + std::to_string(batch.rows()) +
                                                " rows is more than the queue of " +
                                                std::to_string(options_.max_queued_rows)};
  }
  if (!valid) {
    {
      const std::lock_guard lock(mutex_);
      ++stats_.batches_refused;
    }
    return answers_.give(std::move(done), std::move(valid));
  }
  {
    std::unique_lock lock(mutex_);
    const auto twin = batch.id.empty() ? in_flight_.end() : in_flight_.find(batch.id);
    if (twin != in_flight_.end() && twin->second.size() < max_senders) {
      ++stats_.batches_duplicate;
      twin->second.push_back(std::move(done));
      return;
    }
    auto answer = twin != in_flight_.end()
                      ? unavailable("too many senders of one batch: try again later")
                      : answer_at_once(batch);
    if (answer) {
      lock.unlock();
      return answers_.give(std::move(done), *std::move(answer));
    }
    if (!batch.id.empty()) in_flight_[batch.id];
    const size_t rows = batch.rows();
    stats_.rows_queued += rows;
    queue_.push_back({.batch = std::move(batch), .done = std::move(done), .rows = rows});
  }
  changed_.notify_one();
}

WriterStats Writer::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

void Writer::run(const std::stop_token& stop) {
  while (true) {
    if (!unfinished_.empty()) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, stop, backoff_, [] { return false; });
      }
      if (stop.stop_requested()) return;  // the journal keeps the group
      retry_first();
      continue;
    }
    std::vector<Pending> pending = take_group(stop);
    if (pending.empty()) return;
    write_group(std::move(pending));
  }
}

std::vector<Writer::Pending> Writer::take_group(const std::stop_token& stop) {
  std::vector<Pending> group;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, stop, [&] { return !queue_.empty(); });
  wait_for_more(lock, stop);
  size_t rows = 0;
  while (!queue_.empty()) {
    const Pending& next = queue_.front();
    const bool is_suspect = suspects_.contains(next.batch.id);
    if (!group.empty() && (is_suspect || rows + next.rows > options_.max_group_rows)) break;
    rows += next.rows;
    group.push_back(std::move(queue_.front()));
    queue_.pop_front();
    if (is_suspect) break;
  }
  return group;
}

// Lets a group grow, for few large inserts make few parts; but not when it is large already and
// nothing more comes: then those who would send more wait for this group's answer.
void Writer::wait_for_more(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  const auto deadline = clock_.monotonic() + options_.max_delay;
  while (!stop.stop_requested() && stats_.rows_queued < options_.max_group_rows) {
    const auto left = deadline - clock_.monotonic();
    const bool is_large = stats_.rows_queued >= options_.large_group_rows;
    const auto patience =
        is_large ? std::min<std::chrono::nanoseconds>(left, options_.pause) : left;
    const size_t n_before = queue_.size();
    if (!changed_.wait_for(lock, stop, patience, [&] { return queue_.size() != n_before; })) return;
  }
}

void Writer::write_group(std::vector<Pending> pending) {
  std::vector<const Batch*> batches;
  for (const Pending& each : pending) batches.push_back(&each.batch);
  Group group = build_group(batches, next_stamp());
  const auto count_failure = [&] {
    const std::lock_guard lock(mutex_);
    ++stats_.groups_failed;
  };
  if (const auto journaled = journal_.write(group); !journaled) {
    count_failure();  // and nothing is left of the group
    return answer(pending, to_retry(journaled.error()));
  }
  const auto committed = commit_first(engine_, group);
  if (committed) {
    for (const Pending& each : pending) hot_.append(each.batch.points);
    finish(group);
    return answer(pending, Ok{});
  }
  log_warning("a group could not be stored and is tried again: " + committed.error().message);
  count_failure();
  failures_ = committed.error().code == ErrorCode::unavailable ? 0 : 1;
  backoff_ = first_backoff;
  unfinished_.push_back(std::move(group));
  {
    const std::lock_guard lock(mutex_);
    stuck_ = true;
  }
  answer(pending, to_retry(committed.error()));
  refuse_queue(to_retry(committed.error()));
}

void Writer::retry_first() {
  const Group& group = unfinished_.front();
  const auto committed = commit_again(engine_, group, "again" + std::to_string(next_stamp()));
  if (committed) {
    log_info("the group that waited is stored");
    // Its batches are gone, and taken for repetitions when they come again.
    hot_.append(points_of(group, catalog_));
    finish(group);
  } else {
    {
      const std::lock_guard lock(mutex_);
      ++stats_.groups_failed;
    }
    backoff_ = std::min(backoff_ * 2, longest_backoff);
    if (committed.error().code == ErrorCode::unavailable || ++failures_ < max_failures) return;
    give_up(group, committed.error());
  }
  unfinished_.pop_front();
  failures_ = 0;
  backoff_ = first_backoff;
  const std::lock_guard lock(mutex_);
  stuck_ = !unfinished_.empty();
}

void Writer::finish(const Group& group) {
  // A file that stays is found stored at the next start, and removed then.
  if (const auto removed = journal_.remove(group); !removed) log_warning(removed.error().message);
  for (const uint64_t id : group.announced) {
    if (CatalogSeries* series = catalog_.by_id(id)) series->announced_ms = group.stamp_ms;
  }
  const std::lock_guard lock(mutex_);
  for (const std::string& id : group.batch_ids) {
    recent_.add(id, group.stamp_ms);
    suspects_.erase(id);
  }
  stats_.rows_committed += group.rows;
}

void Writer::give_up(const Group& group, const Error& why) {
  const auto path = journal_.reject(group);
  log_error("gave up a group of " + std::to_string(group.rows) + " rows: " + why.message +
            (path ? "; it is kept in " + path->string() : "; " + path.error().message));
  const std::lock_guard lock(mutex_);
  if (suspects_.size() + group.batch_ids.size() > max_suspects) suspects_.clear();
  for (const std::string& id : group.batch_ids) {
    // A batch that was alone in its group is to blame.
    suspects_[id] = group.batch_ids.size() == 1;
  }
}

void Writer::refuse_queue(const Error& why) {
  std::vector<Pending> pending;
  {
    const std::lock_guard lock(mutex_);
    std::move(queue_.begin(), queue_.end(), std::back_inserter(pending));
    queue_.clear();
  }
  answer(pending, why);
}

void Writer::answer(std::vector<Pending>& pending, const Result<Ok>& result) {
  for (Pending& each : pending) {
    std::vector<Done> senders;
    {
      const std::lock_guard lock(mutex_);
      stats_.rows_queued -= each.rows;
      ++(result ? stats_.batches_committed : stats_.batches_refused);
      if (const auto others = in_flight_.find(each.batch.id); others != in_flight_.end()) {
        senders = std::move(others->second);
        in_flight_.erase(others);
      }
    }
    senders.push_back(std::move(each.done));
    for (Done& done : senders) answers_.give(std::move(done), result);
  }
}

uint64_t Writer::next_stamp() {
  const auto passed =
      std::chrono::duration_cast<std::chrono::milliseconds>(clock_.monotonic() - epoch_);
  last_stamp_ms_ =
      std::max(engine_epoch_ms_ + static_cast<uint64_t>(passed.count()), last_stamp_ms_ + 1);
  return last_stamp_ms_;
}

}  // namespace auscult::store
