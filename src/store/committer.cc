#include "store/committer.h"

#include <optional>
#include <string>

#include "base/text.h"

namespace auscult::store {
namespace {

// Rows of the table that bear the stamp; nothing for tables where a row more does no harm: series
// are merged to one row each, ids of batches are a set, of a source's positions the last counts.
std::optional<Query> count_rows(const std::string& table, uint64_t stamp_ms) {
  const Parameters parameters = {{"stamp", std::to_string(stamp_ms)}};
  if (table == "samples") {
    return Query{
        "SELECT count() FROM auscult.samples "
        "WHERE stored_at = fromUnixTimestamp64Milli({stamp:Int64})",
        parameters};
  }
  if (table == "logs") {
    return Query{
        "SELECT count() FROM auscult.logs "
        "WHERE stored_at = fromUnixTimestamp64Milli({stamp:Int64})",
        parameters};
  }
  if (table == "traces") {
    return Query{
        "SELECT count() FROM auscult.traces "
        "WHERE stored_at = fromUnixTimestamp64Milli({stamp:Int64})",
        parameters};
  }
  if (table == "benchmark_results") {
    return Query{
        "SELECT count() FROM auscult.benchmark_results "
        "WHERE stored_at = fromUnixTimestamp64Milli({stamp:Int64})",
        parameters};
  }
  if (table == "incident_events") {
    return Query{
        "SELECT count() FROM auscult.incident_events "
        "WHERE stored_at = fromUnixTimestamp64Milli({stamp:Int64})",
        parameters};
  }
  return {};
}

Result<uint64_t> stored_rows(Engine& engine, const Query& count) {
  const Table table = TRY(engine.query(count));
  if (table.rows.empty()) return Error{ErrorCode::internal, "counting rows gave no row"};
  return to_uint(table.rows[0][0]).value_or(0);
}

std::string token_of(const Group& group, const Block& block) {
  return std::to_string(group.stamp_ms) + "-" + block.table;
}

Result<Ok> insert_again(Engine& engine, const Group& group, const Block& block,
                        const std::string& attempt) {
  const auto count = count_rows(block.table, group.stamp_ms);
  const std::string token = token_of(group, block);
  if (!count) return engine.insert(block, token + "-" + attempt);
  TRY(engine.insert(block, token));
  const uint64_t stored = TRY(stored_rows(engine, *count));
  if (stored == block.rows) return Ok{};
  if (stored > 0) {
    TRY(engine.execute("DELETE FROM auscult." + block.table +
                       " WHERE stored_at = fromUnixTimestamp64Milli(" +
                       std::to_string(group.stamp_ms) + ")"));
  }
  TRY(engine.insert(block, token + "-" + attempt));
  const uint64_t stored_now = TRY(stored_rows(engine, *count));
  if (stored_now == block.rows) return Ok{};
  return Error{ErrorCode::internal, "table " + block.table + " has " + std::to_string(stored_now) +
                                        " of " + std::to_string(block.rows) +
                                        " rows after they were inserted again"};
}

}  // namespace

Result<Ok> commit_first(Engine& engine, const Group& group) {
  for (const Block& block : group.blocks) TRY(engine.insert(block, token_of(group, block)));
  return Ok{};
}

Result<Ok> commit_again(Engine& engine, const Group& group, const std::string& attempt) {
  for (const Block& block : group.blocks) TRY(insert_again(engine, group, block, attempt));
  return Ok{};
}

}  // namespace auscult::store
