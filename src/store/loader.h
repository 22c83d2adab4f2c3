// Loader: fills the catalogue of series and the hot store from the database at start.
#pragma once

#include "base/result.h"
#include "store/engine.h"
#include "store/hot_store.h"
#include "store/series_catalog.h"

namespace auscult::store {

// The series that had samples in the last two days. One that comes back after longer is announced
// anew, under the same id. Call once, before new series come.
Result<Ok> load_series(Engine& engine, SeriesCatalog& catalog);

// The samples of the hot store's window. Progress goes to the log when it takes long.
Result<Ok> load_hot(Engine& engine, SeriesCatalog& catalog, HotStore& hot);

}  // namespace auscult::store
