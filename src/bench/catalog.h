// The catalogue of benchmarks: what exists, also where this build cannot run it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bench/benchmark.h"

namespace auscult::bench {

struct CatalogMetric {
  std::string name;
  std::string unit;
  Better better = Better::higher;
};

struct CatalogEntry {
  std::string benchmark;
  std::string summary;
  std::string device;  // what it measures: cpu, mount point, gpu0
  std::vector<CatalogMetric> metrics;
};

// Everything in catalog/benchmarks, sorted by name.
const std::vector<CatalogEntry>& catalog();

// One file of it. invalid_input "file:line: ..." for a missing, unknown or wrong member.
Result<CatalogEntry> read_catalog_entry(std::string_view text, const std::string& name);

}  // namespace auscult::bench
