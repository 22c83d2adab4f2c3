// XOR chunks: the samples of one series as Prometheus's database packs them.
// Source: tsdb/chunkenc/xor.go and tsdb/docs/bstream.md of Prometheus.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/series.h"

namespace auscult::wire {

// Both ends inclusive, as in Prometheus.
struct TimeRangeMs {
  int64_t start_ms = 0;
  int64_t end_ms = 0;
};

// Appends the samples of a chunk that lie in the range and returns how many lay in it but out of
// the times that the store keeps. Throws Malformed for a chunk that ends too early; `out` may then
// hold its first samples. At most 65535, as the chunk counts them in 16 bits.
uint64_t append_xor_chunk(std::string_view chunk, const model::Series* of, const TimeRangeMs& range,
                          model::Points& out);

// The number of samples that any kind of chunk says it has. Throws Malformed.
uint64_t samples_of_chunk(std::string_view chunk);

}  // namespace auscult::wire
