// FakeEngine: counts rows by table and stamp in memory, remembers tokens, and fails when told to.
// For tests of what stands on an engine.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "store/engine.h"

namespace auscult::store {

// Thread-safe.
class FakeEngine : public Engine {
 public:
  // Called before each insert; an Error is the insert's answer, and nothing is stored.
  void on_insert(std::function<std::optional<Error>(const Block&)> hook) {
    const std::lock_guard lock(mutex_);
    hook_ = std::move(hook);
  }

  // As if a killed process had left the token without its rows.
  void note_token(const std::string& token) {
    const std::lock_guard lock(mutex_);
    tokens_.insert(token);
  }

  // As if some of the block's partitions had been stored, and the token of none noted.
  void put_rows(const std::string& table, uint64_t stamp_ms, uint64_t n) {
    const std::lock_guard lock(mutex_);
    rows_[{table, stamp_ms}] += n;
  }

  uint64_t rows(const std::string& table) const {
    const std::lock_guard lock(mutex_);
    uint64_t n = 0;
    for (const auto& [key, count] : rows_) n += key.first == table ? count : 0;
    return n;
  }

  // Tables of the inserts that succeeded, in order.
  std::vector<std::string> inserts() const {
    const std::lock_guard lock(mutex_);
    return inserts_;
  }

  Result<Table> query(const Query& query) override {
    const std::lock_guard lock(mutex_);
    const std::string_view sql = query.sql.text();
    if (sql.find("now64") != std::string_view::npos) return row({"1000000", "0"});
    const auto from = sql.find("FROM auscult.");
    if (!sql.starts_with("SELECT count()") || from == std::string_view::npos) return Table{};
    const std::string_view rest = sql.substr(from + 13);
    const std::string table(rest.substr(0, rest.find(' ')));
    const auto stamp = to_uint(query.parameters.at("stamp")).value_or(0);
    return row({std::to_string(rows_[{table, stamp}])});
  }

  Result<std::string> query_binary(const Query&) override { return std::string(); }

  Result<Table> query_user(const std::string&, const Parameters&) override { return Table{}; }

  Result<UserAnswer> query_user_raw(const UserQuery&) override { return UserAnswer{}; }

  // DELETE FROM auscult.<table> WHERE ...(<stamp>)
  Result<Ok> execute(const std::string& sql) override {
    const std::lock_guard lock(mutex_);
    executed_.push_back(sql);
    constexpr std::string_view prefix = "DELETE FROM auscult.";
    if (!sql.starts_with(prefix)) return Ok{};
    const std::string table =
        sql.substr(prefix.size(), sql.find(' ', prefix.size()) - prefix.size());
    const auto open = sql.rfind('(');
    const auto stamp = to_uint(std::string_view(sql).substr(open + 1, sql.rfind(')') - open - 1));
    rows_[{table, stamp.value_or(0)}] = 0;
    return Ok{};
  }

  std::vector<std::string> executed() const {
    const std::lock_guard lock(mutex_);
    return executed_;
  }

  Result<Ok> insert(const Block& block, const std::string& token) override {
    const std::lock_guard lock(mutex_);
    if (hook_) {
      if (auto error = hook_(block)) return *std::move(error);
    }
    inserts_.push_back(block.table);
    if (!tokens_.insert(token).second) return Ok{};
    uint64_t stamp_ms = 0;  // the last column of the last row
    std::memcpy(&stamp_ms, block.data.data() + block.data.size() - sizeof stamp_ms,
                sizeof stamp_ms);
    rows_[{block.table, stamp_ms}] += block.rows;
    return Ok{};
  }

 private:
  static Table row(std::vector<std::string> cells) {
    return {.names = std::vector<std::string>(cells.size()),
            .types = std::vector<std::string>(cells.size()),
            .rows = {std::move(cells)}};
  }

  mutable std::mutex mutex_;
  std::function<std::optional<Error>(const Block&)> hook_;
  std::map<std::pair<std::string, uint64_t>, uint64_t> rows_;
  std::set<std::string> tokens_;
  std::vector<std::string> inserts_;
  std::vector<std::string> executed_;
};

}  // namespace auscult::store
