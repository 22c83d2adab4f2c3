// Group: what one group commit writes, as blocks for the engine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/engine.h"
#include "store/series_catalog.h"
#include "store/store.h"

namespace auscult::store {

struct Group {
  // Milliseconds since the epoch; rows carry it as stored_at (series as announced_at, ids of
  // batches as committed_at). No two groups of a database have the same.
  uint64_t stamp_ms = 0;
  std::vector<std::string> batch_ids;  // without the empty ones
  std::vector<Block> blocks;           // none empty; ingest_batches is the last
  uint64_t rows = 0;                   // of the clients: without series and ingest_batches
  std::vector<uint64_t> announced;     // series whose labels are among the blocks; not journaled
};

// A series is announced again after a day, so that its row outlives its samples.
inline constexpr uint64_t series_lifetime_ms = 86'400'000;

// Moves the batch's samples to its points. invalid_input: the index has no room for a series more.
Result<Ok> make_points(Batch& batch, model::SeriesIndex& index);

// Encodes the batches, whose points are of series of a SeriesCatalog and whose samples are empty.
// Series that are new, or were announced longer than series_lifetime_ms ago, get their row too.
// Call from the thread that sets announced_ms.
Group build_group(const std::vector<const Batch*>& batches, uint64_t stamp_ms);

// The samples among its blocks whose series the catalogue has.
model::Points points_of(const Group& group, const SeriesCatalog& catalog);

// The most days that the rows of a batch may span: each becomes a partition, a file tree of its
// own.
inline constexpr size_t max_days = 1'000;

// invalid_input says what no retry will cure: a time before 1970 or after 2261 (DateTime64 ends
// there), more days than max_days.
Result<Ok> validate(const Batch& batch);

}  // namespace auscult::store
