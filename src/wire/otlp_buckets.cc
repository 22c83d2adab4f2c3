#include "wire/otlp_buckets.h"

#include <cmath>
#include <limits>

namespace auscult::wire {
namespace {

constexpr int32_t min_scale = -10;  // the range that the OpenTelemetry data model names
constexpr int32_t max_scale = 20;

struct Side {
  int64_t offset;
  std::vector<uint64_t> counts;
};

// base^index; infinite or 0 where a double ends.
double power(int64_t index, int32_t scale) {
  return std::exp2(std::ldexp(static_cast<double>(index), -scale));
}

// One scale less: buckets 2i and 2i+1 become bucket i.
Side halved(const Side& side) {
  // Rounds towards minus infinity, also for negative indices.
  const auto half = [](int64_t index) { return index >> 1; };
  Side result{half(side.offset), {}};
  for (size_t k = 0; k < side.counts.size(); ++k) {
    const auto at =
        static_cast<size_t>(half(side.offset + static_cast<int64_t>(k)) - result.offset);
    if (at == result.counts.size()) result.counts.push_back(0);
    result.counts[at] += side.counts[k];
  }
  return result;
}

// Bounds that a double cannot tell apart become one bucket.
void add(std::vector<Bucket>& buckets, double bound, uint64_t count) {
  if (buckets.empty() || bound > buckets.back().bound) {
    buckets.push_back({bound, count});
  } else {
    buckets.back().count += count;
  }
}

}  // namespace

std::optional<std::vector<Bucket>> classic_buckets(const ExponentialHistogram& histogram) {
  int32_t scale = histogram.scale;
  if (scale < min_scale || scale > max_scale || !(histogram.zero_threshold >= 0) ||
      std::isinf(histogram.zero_threshold) ||
      histogram.positive.counts.size() > max_exponential_buckets_on_wire ||
      histogram.negative.counts.size() > max_exponential_buckets_on_wire) {
    return {};
  }
  Side positive{histogram.positive.offset, histogram.positive.counts};
  Side negative{histogram.negative.offset, histogram.negative.counts};
  while (positive.counts.size() > max_exponential_buckets ||
         negative.counts.size() > max_exponential_buckets) {
    positive = halved(positive);
    negative = halved(negative);
    --scale;
  }
  std::vector<Bucket> buckets;
  for (size_t k = negative.counts.size(); k-- > 0;) {
    add(buckets, -power(negative.offset + static_cast<int64_t>(k), scale), negative.counts[k]);
  }
  if (histogram.zero_count > 0 || !negative.counts.empty()) {
    add(buckets, histogram.zero_threshold, histogram.zero_count);
  }
  for (size_t k = 0; k < positive.counts.size(); ++k) {
    add(buckets, power(positive.offset + static_cast<int64_t>(k) + 1, scale), positive.counts[k]);
  }
  return buckets;
}

}  // namespace auscult::wire
