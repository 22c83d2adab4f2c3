// Prometheus remote write 1.0: a request's bytes -> points.
// Source: prometheus.io/docs/specs/prw/remote_write_spec, prompb/remote.proto, prompb/types.proto.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/series.h"
#include "wire/prometheus_series.h"

namespace auscult::wire {

struct RemoteWriteOptions {
  size_t max_bytes = size_t{64} << 20U;  // a request that unpacks to more is refused
  size_t max_samples = 1'000'000;        // more are rejected; senders stop at some thousands
  SeriesLimits limits;
  // Prometheus servers that scrape the same targets tell themselves apart by the first and their
  // group by the second. The first is no part of a series. Empty: there is no such label.
  std::string ha_replica_label = "__replica__";
  std::string ha_cluster_label = "cluster";
};

struct RemoteWrite {
  model::Points points;  // in the order of the request
  Rejected rejected;     // native histograms among them
  uint64_t native_histograms = 0;
  uint64_t exemplars = 0;  // dropped; no sample is lost by it
  std::string replica;     // of the first series; empty without such a label
  std::string cluster;
};

// `body`: one block of snappy. invalid_input when it is not, or the protobuf in it is malformed:
// nothing of it is to be used then, though new series may have entered the index.
// Rejected: series without a name, with invalid UTF-8, with a label given twice, beyond the limits
// or the index's; samples out of time or beyond max_samples. Values keep their bits, those of
// staleness markers too. Whether a new series is a counter is said by the metadata of the same
// request, else by its name.
Result<RemoteWrite> decode_remote_write(std::string_view body, const RemoteWriteOptions& options,
                                        model::SeriesIndex& index);

}  // namespace auscult::wire
