// Exponential histograms as classic buckets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace auscult::wire {

// Values up to and including `bound`, above the bucket before. Not cumulative.
struct Bucket {
  double bound = 0;
  uint64_t count = 0;
};

struct ExponentialHistogram {
  // Bucket k holds values in (base^(offset+k), base^(offset+k+1)], base = 2^(2^-scale).
  struct Side {
    int32_t offset = 0;
    std::vector<uint64_t> counts;
  };
  int32_t scale = 0;
  uint64_t zero_count = 0;
  double zero_threshold = 0;
  Side positive;
  Side negative;  // of the absolute values
};

inline constexpr size_t max_exponential_buckets = 160;  // a side; what SDKs keep by default
inline constexpr size_t max_exponential_buckets_on_wire = 4096;  // more is a mistake

// Ascending buckets; neighbours are merged pairwise, as a smaller scale would have them, until a
// side has at most max_exponential_buckets. Nothing when a side has more than
// max_exponential_buckets_on_wire, the scale is outside [-10, 20] or the threshold is no number.
std::optional<std::vector<Bucket>> classic_buckets(const ExponentialHistogram& histogram);

}  // namespace auscult::wire
