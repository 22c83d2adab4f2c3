// DeviceInterval: what a block device did between two looks at its counters, as JSON.
#pragma once

#include "base/json.h"
#include "bench/host.h"

namespace auscult::actions {

// {"device","seconds","reads","writes","read_bytes","write_bytes","busy_ratio","await_ms"};
// await_ms is null when no request ended.
Json interval_totals(const bench::DiskCounters& before, const bench::DiskCounters& after,
                     double seconds);

// {"device","busy_ratio","reads_per_second","writes_per_second","read_bytes_per_second",
//  "write_bytes_per_second","await_ms"}
Json interval_rates(const bench::DiskCounters& before, const bench::DiskCounters& after,
                    double seconds);

}  // namespace auscult::actions
